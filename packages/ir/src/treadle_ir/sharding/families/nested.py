"""What holds programs, and what says itself how its results lie."""

from __future__ import annotations

from collections.abc import Sequence

from treadle_ir.errors import ShardingTypeError
from treadle_ir.families import InlineCall
from treadle_ir.primitives.call import CustomVjpLinear
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.primitives.effectful import HostCall
from treadle_ir.primitives.implicit import LinearSolve, Root
from treadle_ir.primitives.linear_call import LinearCall
from treadle_ir.primitives.shard_map import ShardMap
from treadle_ir.primitives.sharding import InspectSharding, ShardingConstraint
from treadle_ir.program import Program
from treadle_ir.sharding.mesh import AbstractMesh, Layout, Whole
from treadle_ir.sharding.partial import sums_of, with_sums
from treadle_ir.sharding.rules import dims_over, nested_rule
from treadle_ir.sharding.sharded_type import whole
from treadle_ir.sharding.types import explicit_part
from treadle_ir.types import ArrayType
from treadle_ir.values import Literal

Known = Whole | None


def _explicit(layout: Layout, mesh: AbstractMesh) -> Whole:
    return explicit_part(layout, mesh).dims


def returned_dims(program: Program, mesh: AbstractMesh) -> list[Known]:
    """Return the dims of a program's results over `mesh`: a literal is the same on each device."""
    return [() if type(each) is Literal else dims_over(each.type, mesh) for each in program.results]


@nested_rule(ShardingConstraint)
def constraint_shardings(
    primitive: ShardingConstraint,
    operands: Sequence[Known],
    results: Sequence[ArrayType],
    mesh: AbstractMesh,
) -> Sequence[Known]:
    """As it says; an axis of which it says nothing lies as before."""
    said, before = primitive.lies, operands[0]
    if None not in said:
        return [_explicit(said, mesh)]
    if before is None:
        return [None]
    named = {name for names in said for name in names or ()}
    kept = [tuple([n for n in names if n not in named]) for names in before]
    both = [k if s is None else s for s, k in zip(said, kept, strict=True)]
    return [_explicit(with_sums(both, sums_of(said)), mesh)]


@nested_rule(ShardMap)
def shard_map_shardings(
    primitive: ShardMap,
    operands: Sequence[Known],
    results: Sequence[ArrayType],
    mesh: AbstractMesh,
) -> Sequence[Known]:
    """As they are put together."""
    return [_explicit(layout, mesh) for layout in primitive.out_layouts]


@nested_rule(InspectSharding)
def inspect_shardings(
    primitive: InspectSharding,
    operands: Sequence[Known],
    results: Sequence[ArrayType],
    mesh: AbstractMesh,
) -> Sequence[Known]:
    """There are no results."""
    return []


@nested_rule(HostCall)
def host_call_shardings(
    primitive: HostCall,
    operands: Sequence[Known],
    results: Sequence[ArrayType],
    mesh: AbstractMesh,
) -> Sequence[Known]:
    """What the host makes is whole."""
    return [whole(type.ndim) for type in results]


@nested_rule(InlineCall)
def call_shardings(
    primitive: InlineCall,
    operands: Sequence[Known],
    results: Sequence[ArrayType],
    mesh: AbstractMesh,
) -> Sequence[Known]:
    """Those of the program."""
    return returned_dims(primitive.program, mesh)


@nested_rule(CustomVjpLinear)
def backward_shardings(
    primitive: CustomVjpLinear,
    operands: Sequence[Known],
    results: Sequence[ArrayType],
    mesh: AbstractMesh,
) -> Sequence[Known]:
    """A user's function, which nobody has run yet."""
    return [None] * len(results)


@nested_rule(LinearCall)
def linear_call_shardings(
    primitive: LinearCall,
    operands: Sequence[Known],
    results: Sequence[ArrayType],
    mesh: AbstractMesh,
) -> Sequence[Known]:
    """Left to the compiler."""
    return [None] * len(results)


@nested_rule(LinearSolve)
def solve_shardings(
    primitive: LinearSolve,
    operands: Sequence[Known],
    results: Sequence[ArrayType],
    mesh: AbstractMesh,
) -> Sequence[Known]:
    """Left to the compiler."""
    return [None] * len(results)


@nested_rule(Root)
def root_shardings(
    primitive: Root, operands: Sequence[Known], results: Sequence[ArrayType], mesh: AbstractMesh
) -> Sequence[Known]:
    """Left to the compiler."""
    return [None] * len(results)


@nested_rule(Case)
def case_shardings(
    primitive: Case, operands: Sequence[Known], results: Sequence[ArrayType], mesh: AbstractMesh
) -> Sequence[Known]:
    """Those of the branches, where they are alike. (`cond` and `switch` see to that; derivatives of them need not.)"""
    found = [returned_dims(branch, mesh) for branch in primitive.branches]
    return [each[0] if len({*each}) == 1 else None for each in zip(*found, strict=True)]


def _carried(before: Sequence[Known], after: Sequence[Known]) -> list[Known]:
    """The layouts of carries, where a body returns them as it took them. (Loops see to that; derivatives need not.)"""
    return [one if one == two else None for one, two in zip(before, after, strict=True)]


@nested_rule(Scan)
def scan_shardings(
    primitive: Scan, operands: Sequence[Known], results: Sequence[ArrayType], mesh: AbstractMesh
) -> Sequence[Known]:
    """Carries as they go in; the axis that is scanned has to be whole."""
    first, last = primitive.constants, primitive.constants + primitive.carries
    for number, layout in enumerate(operands[last:]):
        if layout is not None and layout[0]:
            raise ShardingTypeError(
                f"scan: the leading axis of array {number} that is scanned over is divided by {layout[0]}",
                fix="lay it anew first, so that the leading axis is whole: `reshard(x, P(None, ...))`",
            )
    returned = returned_dims(primitive.body, mesh)
    count = primitive.carries
    carries = _carried(operands[first:last], returned[:count])
    stacked: list[Known] = [
        None if each is None else with_sums(((), *each), sums_of(each)) for each in returned[count:]
    ]
    return [*carries, *stacked]


@nested_rule(While)
def while_shardings(
    primitive: While, operands: Sequence[Known], results: Sequence[ArrayType], mesh: AbstractMesh
) -> Sequence[Known]:
    """Carries as they go in."""
    last = primitive.cond_constants + primitive.body_constants
    return _carried(operands[last:], returned_dims(primitive.body, mesh))
