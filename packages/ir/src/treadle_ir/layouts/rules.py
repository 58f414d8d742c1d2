"""The table of rules: how the results of a primitive lie, from how its operands do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeVar

from treadle_ir.deferred import LayoutWithSums, with_sums
from treadle_ir.errors import ShardingTypeError
from treadle_ir.layouts.laid import Laid, is_whole, type_text, whole
from treadle_ir.meshes import AbstractMesh, Whole
from treadle_ir.primitive import Primitive
from treadle_ir.rules import RuleTable
from treadle_ir.types import ArrayType, Type

P = TypeVar("P", bound=Primitive)
P_contra = TypeVar("P_contra", bound=Primitive, contravariant=True)


class LayoutRule(Protocol[P_contra]):
    """How the results of one primitive lie, of operands that all lie in known ways."""

    def __call__(
        self,
        primitive: P_contra,
        operands: Sequence[Laid],
        results: Sequence[ArrayType],
        mesh: AbstractMesh,
        /,
    ) -> Sequence[Whole]:
        """Apply the rule."""
        ...


class NestedRule(Protocol[P_contra]):
    """The same for what holds programs or says itself how results lie: operands may lie in ways that nobody knows."""

    def __call__(
        self,
        primitive: P_contra,
        operands: Sequence[Whole | None],
        results: Sequence[ArrayType],
        mesh: AbstractMesh,
        /,
    ) -> Sequence[Whole | None]:
        """Apply the rule."""
        ...


_FOLDER: Final = "treadle_ir/layouts/families"
_RULES: Final = "treadle_ir.layouts.families"
layout_rules: Final[RuleTable[LayoutRule[Any]]] = RuleTable(
    "explicit-axes", "layout_rule", _FOLDER, _RULES
)
nested_rules: Final[RuleTable[NestedRule[Any]]] = RuleTable(
    "explicit-axes", "nested_rule", _FOLDER, _RULES
)


def layout_rule(primitive: type[P]) -> Callable[[LayoutRule[P]], LayoutRule[P]]:
    """Register the rule of a primitive or a family.

    Raises:
        ValueError: by the decorator: there is one already.
    """

    def register(rule: LayoutRule[P]) -> LayoutRule[P]:
        layout_rules.register(primitive, rule)
        return rule

    return register


def nested_rule(primitive: type[P]) -> Callable[[NestedRule[P]], NestedRule[P]]:
    """Register the rule of a primitive or a family that takes operands of which nobody knows how they lie.

    Raises:
        ValueError: by the decorator: there is one already.
    """

    def register(rule: NestedRule[P]) -> NestedRule[P]:
        nested_rules.register(primitive, rule)
        return rule

    return register


def result_layouts(
    primitive: Primitive,
    types: Sequence[Type],
    layouts: Sequence[Whole | None],
    results: Sequence[Type],
    mesh: AbstractMesh,
) -> Sequence[Whole | None]:
    """How the results of a primitive lie; None for one that is left to the compiler.

    Raises:
        ShardingTypeError: operands do not go together, the result could lie in several ways, or no rule is known.
    """
    arrays = [type for type in results if isinstance(type, ArrayType)]
    if len(arrays) != len(results):  # tokens, which are never divided
        return [whole(getattr(type, "ndim", 0)) for type in results]
    nested = nested_rules.get(type(primitive))
    if nested is not None:
        return nested(primitive, layouts, arrays, mesh)
    operands: list[Laid] = []
    for operand, layout in zip(types, layouts, strict=True):
        if layout is None:
            return [None] * len(results)
        if isinstance(operand, ArrayType):
            operands.append(Laid(operand, layout))
    if any([type(each.layout) is LayoutWithSums for each in operands]):
        from treadle_ir.layouts.sums import result_sums  # noqa: PLC0415 - it needs many primitives, and few need it

        divided = _divided(primitive, [each.without_sums() for each in operands], arrays, mesh)
        sums = result_sums(primitive, operands, divided, arrays)
        return [with_sums(*each) for each in zip(divided, sums, strict=True)]
    return _divided(primitive, operands, arrays, mesh)


def _divided(
    primitive: Primitive,
    operands: Sequence[Laid],
    results: Sequence[ArrayType],
    mesh: AbstractMesh,
) -> Sequence[Whole]:
    """How results are divided, of operands that all lie in known ways."""
    if all([is_whole(each.layout) for each in operands]):
        return [whole(each.ndim) for each in results]
    rule = layout_rules.get(type(primitive))
    if rule is None:
        listed = " and ".join([type_text(*each) for each in operands if each.type.ndim])
        raise ShardingTypeError(
            f"{primitive.name} of {listed}: explicit axes are not supported for this operation",
            fix="leave the part of the program to the compiler: `auto_axes(f, out_sharding=P(...))`",
        )
    return rule(primitive, operands, results, mesh)
