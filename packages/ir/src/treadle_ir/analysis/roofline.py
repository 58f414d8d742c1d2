"""Bounds of a program's time on a machine: operations, memory traffic, communication with other devices.

A program is analysed as a compiler will run it. Products of matrices, convolutions, sorting, transforms and
factorisations run one by one: their operations are `flops`, and their operands and results pass through memory,
`hbm_bytes`. All other operations are fused with the consumers of their results or overlap with them, and count only
in `unfused_flops` and `unfused_hbm_bytes`, which count each operation as if it ran by itself. Operations that only
move, convert or create elements read and write nothing of their own even then.

Operations are counted by `analysis/cost.py`. Nested programs count as often as they run: a scan its length, a loop its
bound or else once, a choice the largest of its branches. Inside a shard_map all numbers are for one device.

An operation without a rule of its own counts one operation for each element of its results, reads its operands and
writes its results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import reduce
from operator import add
from typing import Any, Final, NamedTuple, TypeAlias, final

from treadle_ir.analysis.cost import WITHOUT_ARITHMETIC, flops_of
from treadle_ir.analysis.iterations import is_exclusive, iterations
from treadle_ir.analysis.links import link_loads
from treadle_ir.core.equality import has_programs, inside_out, programs_of
from treadle_ir.core.families import Contraction, InlineCall, LinearAlgebra, Sorting
from treadle_ir.core.mesh import AbstractMesh
from treadle_ir.core.program import Equation, Program
from treadle_ir.core.rules import RuleTable
from treadle_ir.core.values import Atom, Value
from treadle_ir.primitives.collective import Collective
from treadle_ir.primitives.contract import DotGeneral
from treadle_ir.primitives.fourier import Fft
from treadle_ir.primitives.implicit import LinearSolve, Root
from treadle_ir.primitives.indexing import DynamicSlice, DynamicUpdateSlice, Gather, ScatterFamily
from treadle_ir.primitives.linear_call import LinearCall
from treadle_ir.primitives.shard_map import ShardMap
from treadle_ir.tracing.interpreter import last_uses


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RooflineResult:
    """The cost of an operation or a program on a device: operations, and bytes to and from memory and other devices.

    `ici_bytes` and `ici_latency` are by mesh axis: bytes over its busiest link, and links one after the other.
    `a + b` is the cost of `a` and then `b`, with the larger of both peaks; `3 * a` has three times each number.

    Example:
        >>> both = RooflineResult(flops=2, peak_hbm_bytes=8) + RooflineResult(flops=3, peak_hbm_bytes=4)
        >>> both.flops, both.peak_hbm_bytes
        (5, 8)
    """

    flops: int = 0
    unfused_flops: int = 0
    ici_bytes: dict[str, int] = field(default_factory=dict)
    ici_latency: dict[str, int] = field(default_factory=dict)
    hbm_bytes: int = 0
    peak_hbm_bytes: int = 0
    unfused_hbm_bytes: int = 0

    @classmethod
    def zeros(cls) -> RooflineResult:
        """Return a result without any costs."""
        return cls()

    def __add__(self, other: RooflineResult) -> RooflineResult:
        peak = max(self.peak_hbm_bytes, other.peak_hbm_bytes)
        return replace(self._with(other, add), peak_hbm_bytes=peak)

    def __mul__(self, constant: int | float) -> RooflineResult:
        def scaled(given: int, _: int) -> int:
            found = given * constant
            return int(found) if isinstance(found, float) else found

        return self._with(self, scaled)

    __rmul__ = __mul__

    def without(self, other: RooflineResult) -> RooflineResult:
        """Return the costs without the costs `other` of a part; the peak does not change."""
        left = self._with(other, lambda whole, part: max(whole - part, 0))
        return replace(
            left,
            ici_bytes={name: given for name, given in left.ici_bytes.items() if given},
            ici_latency={name: given for name, given in left.ici_latency.items() if given},
            peak_hbm_bytes=self.peak_hbm_bytes,
        )

    def largest(self, other: RooflineResult) -> RooflineResult:
        """Return the larger of each number in both results."""
        return self._with(other, max)

    def _with(self, other: RooflineResult, by: Callable[[int, int], int]) -> RooflineResult:
        """Combine each number with the same number of `other` by a function; a missing mesh axis counts as 0."""
        found: dict[str, Any] = {}
        for each in fields(self):
            one, two = getattr(self, each.name), getattr(other, each.name)
            if isinstance(one, dict):
                found[each.name] = {
                    name: by(one.get(name, 0), two.get(name, 0)) for name in [*one, *two]
                }
            else:
                found[each.name] = by(one, two)
        return RooflineResult(**found)


class Pinned(NamedTuple):
    """The operands of matrix products that stay on the chip; the result stays where the left operand does."""

    left: bool = False
    right: bool = False


NOTHING_PINNED: Final = Pinned()

OwnRule: TypeAlias = Callable[[Equation, AbstractMesh | None], RooflineResult | None]
"""A function of an equation and its mesh that returns its cost, or None to use the rules of this module."""

Traffic: TypeAlias = Callable[[Equation, Pinned], int]

# The bytes that a primitive or a family reads and writes; all operands and results without a rule.
traffic_rules: Final[RuleTable[Traffic]] = RuleTable(
    "roofline", "traffic_rules.register", "treadle_ir/analysis"
)


def _bytes(atoms: Sequence[Atom]) -> int:
    return sum([atom.type.nbytes for atom in atoms])


def _all(equation: Equation, pinned: Pinned) -> int:
    return _bytes(equation.operands) + _bytes(equation.results)


def _nothing(equation: Equation, pinned: Pinned) -> int:
    return 0


def _product(equation: Equation, pinned: Pinned) -> int:
    left, right = equation.operands
    found = 0 if pinned.left else _bytes([left, *equation.results])
    return found + (0 if pinned.right else right.type.nbytes)


def _read_at(equation: Equation, pinned: Pinned) -> int:
    """Count the elements that are read, twice (as operand and as result), and their indices."""
    return 2 * _bytes(equation.results) + _bytes(equation.operands[1:])


def _written_at(equation: Equation, pinned: Pinned) -> int:
    """Count the updates, the elements that they replace, these elements when written, and the indices."""
    _, *places, updates = equation.operands
    return 3 * updates.type.nbytes + _bytes(places)


def _put_at(equation: Equation, pinned: Pinned) -> int:
    """Count the update, which is read and written, and the indices."""
    _, update, *places = equation.operands
    return 2 * update.type.nbytes + _bytes(places)


for _free in (*WITHOUT_ARITHMETIC, Collective):
    traffic_rules.register(_free, _nothing)
traffic_rules.register(DotGeneral, _product)
traffic_rules.register(Gather, _read_at)
traffic_rules.register(DynamicSlice, _read_at)
traffic_rules.register(ScatterFamily, _written_at)
traffic_rules.register(DynamicUpdateSlice, _put_at)

_BY_ITSELF: Final = (Contraction, LinearAlgebra, Sorting, Fft)


def program_roofline(
    program: Program,
    mesh: AbstractMesh | None = None,
    *,
    pinned: Pinned = NOTHING_PINNED,
    own: OwnRule | None = None,
) -> RooflineResult:
    """Return the cost of a program on each device; collectives outside of shard_maps are over `mesh`.

    `peak_hbm_bytes` is the largest size of the values that are live between two operations: each result may reuse the
    memory of an operand that is used no more.

    Example:
        >>> from treadle_ir.text import parse_program
        >>> text = "treadle 1\\nprogram @main(%x: f32[4,8], %y: f32[8,2]) {\\n"
        >>> text += "  %z: f32[4,2] = dot_general %x, %y {contracting=((1,), (0,))}\\n  return %z\\n}\\n"
        >>> found = program_roofline(parse_program(text))
        >>> found.flops, found.hbm_bytes, found.peak_hbm_bytes
        (128, 224, 192)
    """
    meshes: dict[int, AbstractMesh | None] = {id(program): mesh}
    inner_first = list(inside_out(program))
    for each in reversed(inner_first):
        for equation in each.equations:
            primitive = equation.primitive
            around = primitive.mesh if isinstance(primitive, ShardMap) else meshes[id(each)]
            meshes.update(dict.fromkeys(map(id, programs_of(primitive)), around))
    nested: dict[int, _Needed] = {}
    for each in inner_first:
        needs = [
            _needed(equation, nested, meshes[id(each)], pinned, own) for equation in each.equations
        ]
        nested[id(each)] = _of_program(each, needs)
    return nested[id(program)].result


class _Needed(NamedTuple):
    """The cost of an equation or a program, and by how much its peak exceeds the values that are live before it."""

    result: RooflineResult
    beyond: int = 0


def _of_program(program: Program, needs: Sequence[_Needed]) -> _Needed:
    sizes = _sizes(program)
    drops = last_uses(program)
    used = {atom for equation in program.equations for atom in equation.operands}
    used |= set(program.results)
    kept = first = sum([sizes[value] for value in set(program.parameters) & used])
    peak = kept
    total = RooflineResult()
    for index, (equation, need) in enumerate(zip(program.equations, needs, strict=True)):
        total += need.result
        peak = max(peak, kept + need.beyond, need.result.peak_hbm_bytes)
        kept -= sum([sizes[value] for value in set(drops.get(index, ())) if value in used])
        kept += sum([sizes[value] for value in equation.results if value in used])
        peak = max(peak, kept)
    total += RooflineResult(peak_hbm_bytes=peak)
    return _Needed(total, peak - first)


def _sizes(program: Program) -> dict[Value, int]:
    """Return the bytes of each value; on one device if a shard_map takes or returns it."""
    found = {value: value.type.nbytes for value in program.parameters}
    for equation in program.equations:
        found.update({value: value.type.nbytes for value in equation.results})
    for equation in program.equations:
        if isinstance(equation.primitive, ShardMap):
            body = equation.primitive.body
            inside = (*body.parameters, *body.results)
            for atom, part in zip((*equation.operands, *equation.results), inside, strict=True):
                if isinstance(atom, Value):
                    found[atom] = part.type.nbytes
    return found


def _needed(
    equation: Equation,
    nested: Mapping[int, _Needed],
    mesh: AbstractMesh | None,
    pinned: Pinned,
    own: OwnRule | None,
) -> _Needed:
    primitive = equation.primitive
    given = own(equation, mesh) if own is not None else None
    if given is not None:
        return _Needed(given)
    if has_programs(primitive) and primitive.programs():
        called = [nested[id(each)] for each in _run(equation)]
        beyond = max([each.beyond for each in called])
        return _Needed(_repeated(equation, [each.result for each in called]), beyond)
    loads = link_loads(equation, {} if mesh is None else mesh.shape)
    if isinstance(primitive, Collective):
        return _Needed(
            RooflineResult(
                ici_bytes={name: load.bytes for name, load in loads.items()},
                ici_latency={name: load.hops for name, load in loads.items()},
            )
        )
    flops = flops_of(equation)
    moved = (traffic_rules.get(type(primitive)) or _all)(equation, pinned)
    alone = isinstance(primitive, _BY_ITSELF)
    return _Needed(
        RooflineResult(
            flops=flops if alone else 0,
            unfused_flops=flops,
            hbm_bytes=moved if alone else 0,
            unfused_hbm_bytes=moved,
        )
    )


def _run(equation: Equation) -> Sequence[Program]:
    """Return the programs that run when an equation does, without programs that only its derivatives need."""
    primitive = equation.primitive
    if isinstance(primitive, InlineCall | LinearCall):
        return [primitive.program]
    if isinstance(primitive, LinearSolve | Root):
        return [primitive.solve]
    return [*primitive.programs().values()]


def _repeated(equation: Equation, results: Sequence[RooflineResult]) -> RooflineResult:
    primitive = equation.primitive
    combined = RooflineResult.largest if is_exclusive(primitive) else RooflineResult.__add__
    total = reduce(combined, results)
    times, _ = iterations(primitive)
    # The peak of the nested programs counts on top of the live values outside, as `beyond`.
    return replace(times * total, peak_hbm_bytes=0)
