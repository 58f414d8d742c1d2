"""Derivatives of attributes of single values: only the value itself carries them."""

from __future__ import annotations

from treadle_autodiff.registry import Duals, jvp_rule, transpose_rules
from treadle_autodiff.tangents import Tangents
from treadle_ir import Operands, bind
from treadle_ir.primitives.metadata import ValueMetadata


@jvp_rule(ValueMetadata)
def value_metadata_jvp(primitive: ValueMetadata, primals: Operands, tangents: Tangents, /) -> Duals:
    """The identity."""
    return bind(primitive, *primals), tangents


transpose_rules.absent(ValueMetadata, because="tangents pass it without attributes")
