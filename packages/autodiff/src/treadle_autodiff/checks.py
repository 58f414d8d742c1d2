"""Every derivative rule compared with `infer` as it runs, for tests: `with checked_rules():`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from treadle_autodiff.registry import (
    JvpRule,
    LinearFunction,
    LinearizeRule,
    TransposeRule,
    jvp_rules,
    linearize_rules,
    transpose_rules,
)
from treadle_autodiff.tangents import Linear, Tangent, stays_wide, tangent_type
from treadle_ir import ArrayType, Operand, Operands, Primitive, Type, type_of, types_of
from treadle_ir.testing.checks import expect_results, expect_types


@contextmanager
def checked_rules() -> Iterator[None]:
    """Derivative rules that run meanwhile are checked: types of results, tangents and cotangents.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ops
        >>> from treadle_autodiff import grad
        >>> with checked_rules():
        ...     grad(ops.tanh)(np.float32(0.0))
        array(1., dtype=float32)
    """
    with (
        jvp_rules.wrapping(_checked_jvp),
        linearize_rules.wrapping(_checked_linearize),
        transpose_rules.wrapping(_checked_transpose),
    ):
        yield


def _allowed(found: Type, wanted: Type) -> Type:
    """Return the type that a cotangent must have, given the found type: see `stays_wide`."""
    if not (isinstance(found, ArrayType) and isinstance(wanted, ArrayType)):
        return wanted
    return wanted.with_dtype(found.dtype) if stays_wide(wanted, found.dtype) else wanted


def _expect_tangents(
    primitive: Primitive, rule: str, results: Operands, tangents: Sequence[Tangent]
) -> None:
    wanted = [type_of(result).tangent() for result in results]
    found = [tangent_type(tangent) for tangent in tangents]
    expect_types(primitive, f"result tangents of the {rule} rule", found, wanted)


def _checked_jvp(rule: JvpRule[Any]) -> JvpRule[Any]:
    def checked(
        primitive: Primitive, primals: Operands, tangents: Sequence[Tangent], /
    ) -> tuple[Operands, Sequence[Tangent]]:
        results, result_tangents = rule(primitive, primals, tangents)
        expect_results(primitive, "jvp", types_of(primals), results)
        _expect_tangents(primitive, "jvp", results, result_tangents)
        return results, result_tangents

    return checked


def _checked_linearize(rule: LinearizeRule[Any]) -> LinearizeRule[Any]:
    def checked(
        primitive: Primitive, primals: Operands, nonzero: Sequence[bool], /
    ) -> tuple[Operands, LinearFunction]:
        results, linear = rule(primitive, primals, nonzero)
        expect_results(primitive, "linearize", types_of(primals), results)

        def checked_linear(tangents: Sequence[Tangent]) -> Sequence[Tangent]:
            result_tangents = linear(tangents)
            _expect_tangents(primitive, "linearize", results, result_tangents)
            return result_tangents

        return results, checked_linear

    return checked


def _checked_transpose(rule: TransposeRule[Any]) -> TransposeRule[Any]:
    def checked(
        primitive: Primitive,
        cotangents: Sequence[Tangent],
        operands: Sequence[Operand | Linear],
        /,
    ) -> Sequence[Tangent | None]:
        outgoing = rule(primitive, cotangents, operands)
        linear = [isinstance(operand, Linear) for operand in operands]
        given = [cotangent is not None for cotangent in outgoing]
        assert given == linear, (
            f"{primitive.name}: the transpose rule returned cotangents for {given}, of {linear} that are linear"
        )
        found = [tangent_type(cotangent) for cotangent in outgoing if cotangent is not None]
        expected = [operand.type.tangent() for operand in operands if isinstance(operand, Linear)]
        expect_types(
            primitive,
            "cotangents of the transpose rule",
            found,
            list(map(_allowed, found, expected)),
        )
        return outgoing

    return checked
