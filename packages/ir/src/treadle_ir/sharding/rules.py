"""Sharding propagation: the table of rules, and the shardings of a primitive's results from its operands'."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeAlias, TypeVar

from treadle_ir.core.mesh import AbstractMesh, ClosedDimShardings
from treadle_ir.core.partial import PartialDimShardings, with_partial_sums
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.rules import RuleTable
from treadle_ir.core.sharding import Sharding
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import ShardingTypeError
from treadle_ir.sharding.sharded_type import ShardedType, is_replicated, replicated_dims, type_text

ShardedTypes: TypeAlias = Sequence[ShardedType]
ArrayTypes: TypeAlias = Sequence[ArrayType]
ResultDims: TypeAlias = Sequence[ClosedDimShardings]
"""How each result is divided."""
Known: TypeAlias = ClosedDimShardings | None
P = TypeVar("P", bound=Primitive)
P_contra = TypeVar("P_contra", bound=Primitive, contravariant=True)


class ShardingRule(Protocol[P_contra]):
    """Sharding propagation: the dims of one primitive's results, of operands whose shardings are all known."""

    def __call__(
        self,
        primitive: P_contra,
        operands: ShardedTypes,
        results: ArrayTypes,
        mesh: AbstractMesh,
        /,
    ) -> ResultDims:
        """Apply the rule."""
        ...


class NestedRule(Protocol[P_contra]):
    """Sharding propagation of an operation that holds programs or prescribes shardings; unknown operands are None."""

    def __call__(
        self,
        primitive: P_contra,
        operands: Sequence[Known],
        results: ArrayTypes,
        mesh: AbstractMesh,
        /,
    ) -> Sequence[Known]:
        """Apply the rule."""
        ...


_FOLDER: Final = "treadle_ir/sharding/families"
_RULES: Final = "treadle_ir.sharding.families"
sharding_rules: Final[RuleTable[ShardingRule[Any]]] = RuleTable(
    "explicit-axes", "sharding_rule", _FOLDER, _RULES
)
nested_rules: Final[RuleTable[NestedRule[Any]]] = RuleTable(
    "explicit-axes", "nested_rule", _FOLDER, _RULES
)


def sharding_rule(primitive: type[P]) -> Callable[[ShardingRule[P]], ShardingRule[P]]:
    """Register the rule of a primitive or a family.

    Raises:
        ValueError: by the decorator: there is one already.
    """

    def register(rule: ShardingRule[P]) -> ShardingRule[P]:
        sharding_rules.register(primitive, rule)
        return rule

    return register


def nested_rule(primitive: type[P]) -> Callable[[NestedRule[P]], NestedRule[P]]:
    """Register the rule of a primitive or a family that takes operands with unknown shardings.

    Raises:
        ValueError: by the decorator: there is one already.
    """

    def register(rule: NestedRule[P]) -> NestedRule[P]:
        nested_rules.register(primitive, rule)
        return rule

    return register


def sharded_results(
    primitive: Primitive, operands: Sequence[Type], results: Sequence[Type], mesh: AbstractMesh
) -> tuple[Type, ...]:
    """Return the result types of a primitive with their shardings over the explicit axes of `mesh`.

    Args:
        primitive: any primitive of programs. The programs it holds are `specialised` for the operands.
        operands: the types of the operands; one without a sharding is left to the compiler.
        results: what `infer` gives, without shardings.
        mesh: the mesh in force, which has explicit axes.

    Returns:
        The types, without a sharding where it is left to the compiler.

    Raises:
        ShardingTypeError: operands do not go together, the result could lie in several ways, or no rule is known.
    """
    dims = _result_dims(primitive, operands, results, mesh)
    return tuple(
        [
            type
            if each is None or not isinstance(type, ArrayType)
            else type.with_sharding(Sharding(mesh, each))
            for type, each in zip(results, dims, strict=True)
        ]
    )


def dims_over(type: Type, mesh: AbstractMesh) -> Known:
    """Return which explicit axes of `mesh` divide an operand of a type; None where the compiler decides.

    Tokens are never divided.
    """
    if not isinstance(type, ArrayType):
        return ()
    return None if type.sharding is None else type.sharding.over(mesh).dims


def _result_dims(
    primitive: Primitive, types: Sequence[Type], results: Sequence[Type], mesh: AbstractMesh
) -> Sequence[Known]:
    arrays = [type for type in results if isinstance(type, ArrayType)]
    if len(arrays) != len(results):  # tokens, which are never divided
        return [replicated_dims(getattr(type, "ndim", 0)) for type in results]
    nested = nested_rules.get(type(primitive))
    if nested is not None:
        return nested(primitive, [dims_over(type, mesh) for type in types], arrays, mesh)
    operands: list[ShardedType] = []
    for operand in types:
        dims = dims_over(operand, mesh)
        if dims is None:
            return [None] * len(results)
        if isinstance(operand, ArrayType):
            operands.append(ShardedType(operand, dims))
    if any([type(each.dims) is PartialDimShardings for each in operands]):
        from treadle_ir.sharding.partial_rules import result_partial_sums  # noqa: PLC0415 - it needs many primitives, and few need it

        divided = _divided(
            primitive, [each.without_partial_sums() for each in operands], arrays, mesh
        )
        sums = result_partial_sums(primitive, operands, divided, arrays)
        return [with_partial_sums(*each) for each in zip(divided, sums, strict=True)]
    return _divided(primitive, operands, arrays, mesh)


def _divided(
    primitive: Primitive, operands: ShardedTypes, results: ArrayTypes, mesh: AbstractMesh
) -> ResultDims:
    """Return how results are divided, of operands whose shardings are all known."""
    if all([is_replicated(each.dims) for each in operands]):
        return [replicated_dims(each.ndim) for each in results]
    rule = sharding_rules.get(type(primitive))
    if rule is None:
        listed = " and ".join([type_text(*each) for each in operands if each.type.ndim])
        raise ShardingTypeError(
            f"{primitive.name} of {listed}: explicit axes are not supported for this operation",
            fix="leave the part of the program to the compiler: `auto_axes(f, out_sharding=P(...))`",
        )
    return rule(primitive, operands, results, mesh)
