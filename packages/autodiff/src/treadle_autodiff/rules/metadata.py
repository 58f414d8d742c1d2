"""Derivatives of attributes of single values: only the value itself carries them."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_autodiff.registry import jvp_rule, transpose_rules
from treadle_autodiff.tangents import Tangent
from treadle_ir import Operands, bind
from treadle_ir.primitives.metadata import ValueMetadata


@jvp_rule(ValueMetadata)
def value_metadata_jvp(
    primitive: ValueMetadata, primals: Operands, tangents: Sequence[Tangent], /
) -> tuple[Operands, Sequence[Tangent]]:
    """The identity."""
    return bind(primitive, *primals), tangents


transpose_rules.absent(ValueMetadata, because="tangents pass it without attributes")
