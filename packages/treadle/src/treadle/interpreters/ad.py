"""Derivatives of operations of a library's own: `defjvp`, `deflinear2`, `primitive_jvps`, `primitive_transposes`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from treadle.core import aval_of, type_of_aval
from treadle.extension import Application, Primitive
from treadle.interpreters.jaxprs import backward_pass, jvp_jaxpr
from treadle.interpreters.zeros import UndefinedPrimal, Zero, is_undefined_primal, zeros_like_aval
from treadle_autodiff import (
    JvpTrace as JVPTrace,
    JvpTracer as JVPTracer,
    Linear,
    Tangent,
    Zero as _Zero,
    jvp_rule,
    transpose_rule,
)
from treadle_ir import Array, MissingRuleError, Operand, Operands, bind, ops, type_of
from treadle_ir.calling import as_array
from treadle_ir.core import dtypes
from treadle_ir.errors import boundaries
from treadle_numpy.lax.other_primitives import OTHERS

__all__ = [
    "JVPTrace",
    "JVPTracer",
    "UndefinedPrimal",
    "Zero",
    "add_jaxvals",
    "add_jaxvals_p",
    "add_tangents",
    "backward_pass",
    "defbilinear",
    "defjvp",
    "defjvp2",
    "deflinear",
    "deflinear2",
    "get_primitive_transpose",
    "instantiate_zeros",
    "is_undefined_primal",
    "jvp_jaxpr",
    "primitive_jvps",
    "primitive_transposes",
    "zeros_like_aval",
]

Rule: TypeAlias = Callable[..., Any]  # Any: as libraries write them
Tree: TypeAlias = Any  # Any: what libraries' rules take and return

add_jaxvals_p: Final = OTHERS["add_jaxvals_p"]

primitive_jvps: Final[dict[Any, Rule]] = {}
"""Rules of forward mode: `rule(primals, tangents, **params)` gives results and tangents. Libraries write to it."""
primitive_transposes: Final[dict[Any, Rule]] = {}
"""Rules of transposition: `rule(ct, *operands, **params)` gives a cotangent, or None, for each operand."""


def instantiate_zeros(tangent: Tree) -> Tree:
    """Return a tangent as an array."""
    return tangent.instantiate() if type(tangent) is Zero else tangent


def add_jaxvals(x: Tree, y: Tree) -> Array:
    """Return the sum of two arrays of one type, as cotangents are added."""
    return ops.add(as_array(x), as_array(y))


def add_tangents(x: Tree, y: Tree) -> Tree:
    """Return the sum of two tangents."""
    if type(x) is Zero:
        return y
    return x if type(y) is Zero else ops.add(as_array(x), as_array(y))


def _shown(tangent: Tangent) -> Tree:
    """Return a tangent as rules of libraries see it."""
    return Zero(aval_of(tangent.type)) if isinstance(tangent, _Zero) else as_array(tangent)


def _taken(tangent: Tree) -> Tangent:
    """Return a tangent that a rule of a library returned."""
    return _Zero(type_of_aval(tangent.aval)) if type(tangent) is Zero else as_array(tangent)


def _has_no_data(tangent: Tangent) -> bool:
    """Return whether it is the tangent of an integer as an array: loops carry such."""
    return not isinstance(tangent, _Zero) and dtypes.is_float0(type_of(tangent).dtype)


@jvp_rule(Application)
def application_jvp(
    primitive: Application, primals: Operands, tangents: Sequence[Tangent], /
) -> tuple[Operands, Sequence[Tangent]]:
    """Apply the library's rule, unless only integers are differentiated."""
    tangents = [_Zero(type_of(x)) if _has_no_data(x) else x for x in tangents]
    if all(isinstance(tangent, _Zero) for tangent in tangents):
        plain = bind(primitive, *primals)
        return plain, [_Zero(x.type.tangent()) for x in plain]
    rule = primitive_jvps.get(primitive.of)
    if rule is None:
        raise MissingRuleError(
            f"Differentiation rule for '{primitive.of}' not implemented",
            fix=f"`ad.primitive_jvps[{primitive.of}_p] = rule`, or `ad.defjvp`",
        )
    results, outward = rule(
        tuple(map(as_array, primals)), tuple(map(_shown, tangents)), **primitive.parameters
    )
    return [as_array(x) for x in primitive.of.listed(results)], [
        _taken(tangent) for tangent in primitive.of.listed(outward)
    ]


@transpose_rule(Application)
def application_transpose(
    primitive: Application,
    cotangents: Sequence[Tangent],
    operands: Sequence[Operand | Linear],
    /,
) -> Sequence[Tangent | None]:
    """Apply the library's rule."""
    rule = get_primitive_transpose(primitive.of)
    shown = [_shown(each) for each in cotangents]
    given = [
        UndefinedPrimal(aval_of(each.type)) if isinstance(each, Linear) else as_array(each)
        for each in operands
    ]
    found = rule(
        shown if primitive.of.multiple_results else shown[0], *given, **primitive.parameters
    )
    if found is None or type(found) is Zero:  # of all operands
        found = [found] * len(operands)
    return [
        None if each is None or not isinstance(operand, Linear) else _taken(each)
        for each, operand in zip(found, operands, strict=True)
    ]


def get_primitive_transpose(p: Primitive) -> Rule:
    """Return the rule of transposition of an operation.

    Raises:
        MissingRuleError: it has none.
    """
    rule = primitive_transposes.get(p)
    if rule is None:
        raise MissingRuleError(
            f"Transpose rule (for reverse-mode differentiation) for '{p}' not implemented",
            fix=f"`ad.primitive_transposes[{p}_p] = rule`, or `ad.deflinear2`",
        )
    return rule


def defjvp(primitive: Primitive, *rules: Rule | None) -> None:
    """Give an operation one rule for each operand: `rule(tangent, *primals, **params)`; None where it is zero."""

    def without_result(rule: Rule) -> Rule:
        return lambda tangent, _, *primals, **params: rule(tangent, *primals, **params)

    defjvp2(primitive, *[None if rule is None else without_result(rule) for rule in rules])


def defjvp2(primitive: Primitive, *rules: Rule | None) -> None:
    """As `defjvp`; rules also get the result: `rule(tangent, result, *primals, **params)`."""

    def jvp(primals: Sequence[Tree], tangents: Sequence[Tree], **params: Tree) -> tuple[Tree, Tree]:
        result = primitive.bind(*primals, **params)
        total: Tree = Zero.from_primal_value(result)
        for rule, tangent in zip(rules, tangents, strict=True):
            if rule is not None and type(tangent) is not Zero:
                total = add_tangents(total, rule(tangent, result, *primals, **params))
        return result, total

    primitive_jvps[primitive] = jvp


def deflinear2(primitive: Primitive, transpose_rule: Rule) -> None:
    """Say that an operation is linear in all operands, with its transpose: `rule(ct, *operands, **params)`."""

    def jvp(primals: Sequence[Tree], tangents: Sequence[Tree], **params: Tree) -> tuple[Tree, Tree]:
        result = primitive.bind(*primals, **params)
        if all(type(tangent) is Zero for tangent in tangents):
            zeros = [Zero.from_primal_value(each) for each in primitive.listed(result)]
            return result, zeros if primitive.multiple_results else zeros[0]
        return result, primitive.bind(*map(instantiate_zeros, tangents), **params)

    primitive_jvps[primitive] = jvp
    primitive_transposes[primitive] = transpose_rule


def deflinear(primitive: Primitive, transpose_rule: Rule) -> None:
    """As `deflinear2`, for a transpose that needs the cotangent only: `rule(ct, **params)`."""

    def transpose(ct: Tree, *_: Tree, **params: Tree) -> Tree:
        return transpose_rule(ct, **params)

    deflinear2(primitive, transpose)


def defbilinear(prim: Primitive, lhs_rule: Rule, rhs_rule: Rule) -> None:
    """Say that an operation is linear in each of two operands.

    `lhs_rule(ct, x, y, **params)` gives the cotangent of x, which stands in it as an `UndefinedPrimal`; `rhs_rule`
    the cotangent of y.
    """

    def of_left(tangent: Tree, x: Tree, y: Tree, **params: Tree) -> Tree:
        return prim.bind(tangent, y, **params)

    def of_right(tangent: Tree, x: Tree, y: Tree, **params: Tree) -> Tree:
        return prim.bind(x, tangent, **params)

    def transpose(ct: Tree, x: Tree, y: Tree, **params: Tree) -> tuple[Tree, Tree]:
        if is_undefined_primal(x):
            return lhs_rule(ct, x, y, **params), None
        return None, rhs_rule(ct, x, y, **params)

    defjvp(prim, of_left, of_right)
    primitive_transposes[prim] = transpose


boundaries(__name__)
