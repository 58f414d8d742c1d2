"""The application of a `HiPrim` as an operation of programs, and its rules, which ask the methods of the `HiPrim`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from treadle.core import AbstractValue
from treadle.experimental.hijax.prim import HiPrim, declared, pair_of
from treadle.experimental.hijax.types import (
    HiForm,
    HiType,
    built,
    lo_types,
    lowered,
    parts_of,
)
from treadle.interpreters.mlir import captured_arrays
from treadle.interpreters.zeros import Zero
from treadle_autodiff import (
    Tangent,
    Zero as _Zero,
    jvp_rule,
    materialise,
)
from treadle_compiler import HloValue, LoweringContext, lowering_rule
from treadle_ir import Array, ArrayType, Operands, Type, bind, stage, type_of
from treadle_ir.calling import as_array
from treadle_ir.core import Extension, dtypes
from treadle_ir.process import frozen
from treadle_ir.tree import (
    tree_unflatten,
)

Tree: TypeAlias = Any  # Any: what rules of libraries take and return


def is_zero(x: object) -> bool:
    """Return whether a tangent is known to be zero."""
    return isinstance(x, Zero)


def types_of_parts(aval: AbstractValue) -> tuple[ArrayType, ...]:
    """Return the types of the arrays of a value in programs."""
    return parts_of(aval).types if isinstance(aval, HiType) else lo_types(aval)


def parts(avals: Sequence[AbstractValue], flat: Sequence[Any]) -> list[Sequence[Any]]:
    """Split `flat`, which has one entry for each array, into the entries of each value of `avals`."""
    found, first = [], 0
    for aval in avals:
        count = len(types_of_parts(aval))
        found.append(flat[first : first + count])
        first += count
    return found


def value_of(aval: AbstractValue, children: Sequence[Any]) -> Tree:
    """Return the value of these arrays."""
    return HiForm(aval).build(children) if isinstance(aval, HiType) else children[0]


def tangent_aval(aval: AbstractValue) -> Any:  # Any: of tangents of such a value
    """Return the type of tangents."""
    return aval.to_tangent_aval()  # type: ignore[attr-defined]  # types of arrays have it, too


def tangent_types(aval: AbstractValue) -> tuple[ArrayType, ...]:
    """Return the types of the arrays of a tangent that programs have; none where there is nothing to differentiate."""
    if not isinstance(aval, HiType):
        (type,) = lo_types(aval)
        found: tuple[ArrayType, ...] = (type.tangent().strong(),)
    else:
        has = parts_of(aval)
        found = tuple([type.tangent().strong() for type in has.types[has.fixed :]])
    return found if any(not dtypes.is_float0(type.dtype) for type in found) else ()


def fixed_of(aval: AbstractValue) -> int:
    """Return how many arrays of a value, the first ones, have no tangents."""
    return parts_of(aval).fixed if isinstance(aval, HiType) else 0


@frozen
class HiApplication(Extension):
    """An operation on values of types of a library's own, in programs: one on the arrays that these are made of."""

    name = "call_hi_primitive"
    of: HiPrim

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the declared types."""
        return tuple([type for aval in self.of.out_flat for type in types_of_parts(aval)])

    def call(self, operands: Operands) -> list[Array]:
        """Apply `expand`, with values themselves for arguments."""
        of = self.of
        values = []
        for aval, children in zip(of.in_flat, parts(of.in_flat, operands), strict=True):
            lo = list(map(as_array, children[: len(lo_types(aval))]))
            values.append(aval.raise_val(*lo) if isinstance(aval, HiType) else lo[0])
        return self.results(of.expand(*tree_unflatten(of.in_tree, values)))

    def results(self, output: Tree) -> list[Array]:
        """Return the arrays in programs of the `output` of the operation, or of a rule in its place."""
        of, found = self.of, []
        for aval, leaf in zip(of.out_flat, of.out_tree.flatten_up_to(output), strict=True):
            for type, each in zip(types_of_parts(aval), of.parts(aval, leaf), strict=True):
                found.append(of.array_of(type, each, "a result"))
        return found

    def arguments(self, operands: Operands) -> tuple[Tree, ...]:
        """Return the arguments that rules see."""
        of = self.of
        return tree_unflatten(  # type: ignore[no-any-return]  # a tuple: `in_avals` is one
            of.in_tree,
            [
                value_of(aval, list(map(as_array, children)))
                for aval, children in zip(of.in_flat, parts(of.in_flat, operands), strict=True)
            ],
        )

    def tangents(self, flat: Sequence[Tangent]) -> tuple[Tree, ...]:
        """Return the tangents of the arguments that rules see; `Zero`s where they are known to be zero."""
        of = self.of
        return tree_unflatten(  # type: ignore[no-any-return]  # as above
            of.in_tree,
            [
                shown(aval, each)
                for aval, each in zip(of.in_flat, parts(of.in_flat, flat), strict=True)
            ],
        )


def shown(aval: AbstractValue, flat: Sequence[Tangent]) -> Tree:
    """Return the tangent of a value, given the tangents of its arrays."""
    flat = flat[fixed_of(aval) :]
    if not tangent_types(aval) or all(isinstance(each, _Zero) for each in flat):
        return Zero(tangent_aval(aval))
    return built(tangent_aval(aval), [as_array(materialise(each)) for each in flat])


def taken(of: object, aval: AbstractValue, tangent: Tree, what: str = "a tangent") -> list[Tangent]:
    """Return the tangents of the arrays of a value, of its own: the inverse of `shown`.

    Raises:
        ShapeError, DTypeError: they are not of the value's type.
    """
    types = tangent_types(aval)
    zeros: list[Tangent] = [_Zero(type.tangent()) for type in types_of_parts(aval)]
    if tangent is None or isinstance(tangent, Zero) or not types:
        return zeros
    arrays = lowered(tangent_aval(aval), tangent)
    own = [
        x if dtypes.is_float0(type.dtype) else declared(of, type, x, what)
        for type, x in zip(types, arrays, strict=True)
    ]
    return [*zeros[: fixed_of(aval)], *own]


def taken_all(of: HiPrim, tangents: Tree) -> list[Tangent]:
    """Return the tangents of all arrays of the result, of those that a rule returned."""
    flat: list[Tangent] = []
    for aval, leaf in zip(of.out_flat, of.out_tree.flatten_up_to(tangents), strict=True):
        flat += taken(of, aval, leaf)
    return flat


def pushed_by_jvp(of: HiPrim, primals: tuple[Tree, ...], tangents: tuple[Tree, ...]) -> Tree:
    """Return the result's tangent, by `jvp`."""
    return pair_of(of, "jvp", of.jvp(primals, tangents))[1]


def kept_by(of: HiPrim, method: str, nzs_in: Tree, args: tuple[Tree, ...]) -> tuple[Tree, Tree]:
    """Return the result, and what a rule keeps: `vjp_fwd` or `lin`."""
    return pair_of(of, method, getattr(of, method)(nzs_in, *args), exactly=False)


def nothing(flat: Sequence[Tangent]) -> bool:
    """Return whether there is nothing to differentiate: all tangents are zero, or without data."""
    return all(isinstance(each, _Zero) or dtypes.is_float0(type_of(each).dtype) for each in flat)


@jvp_rule(HiApplication)
def application_jvp(
    primitive: HiApplication, primals: Operands, tangents: Sequence[Tangent], /
) -> tuple[Operands, Sequence[Tangent]]:
    """Apply `jvp`."""
    of = primitive.of
    if nothing(tangents):
        plain = bind(primitive, *primals)
        return plain, [_Zero(x.type.tangent()) for x in plain]
    output, outward = pair_of(
        of, "jvp", of.jvp(primitive.arguments(primals), primitive.tangents(tangents))
    )
    return primitive.results(output), taken_all(of, outward)


@lowering_rule(HiApplication)
def application_lowering(
    context: LoweringContext, primitive: HiApplication, /, *operands: HloValue
) -> Sequence[HloValue]:
    """Lower the operation as the body of its `expand`."""
    return inlined(context, primitive, str(primitive.of), operands)


def inlined(
    context: LoweringContext, primitive: Extension, name: str, operands: Sequence[HloValue]
) -> Sequence[HloValue]:
    """Stage the body of an operation, and lower it in the operation's place."""
    staged = stage(lambda *xs: primitive.call(xs), *[operand.type for operand in operands])
    captured = [context.constant(each, type_of(each)) for each in captured_arrays(staged, name)]
    return context.inline(context.legalised(staged.program), *captured, *operands)
