"""Transformed programs: the jvp, the linearization and the transpose of a program, as programs.

What calls and control flow are differentiated with. Each is kept by the program that it was made of, so that
the gradient of a jitted function is made once, and compiled once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar, TypeVar, final

from treadle_autodiff.jvp import jvp_flat
from treadle_autodiff.linearize import linearize_flat
from treadle_autodiff.tangents import Tangent, Zero, materialise
from treadle_autodiff.transpose import transpose
from treadle_ir import (
    ArrayType,
    Equation,
    Operand,
    Operands,
    Program,
    Type,
    Value,
    ops,
    stage,
    type_of,
)
from treadle_ir.core import Flags, elementwise_or, float0, unsharded
from treadle_ir.primitives.collective import PVary
from treadle_ir.process import frozen
from treadle_ir.refs import Cell, as_body, discharged, holding, usable
from treadle_ir.rewrite import prune
from treadle_ir.tracing import derived, interpret_unchecked as interpret, stage_tree
from treadle_ir.tree import PyTreeDef, tree_flatten, tree_leaves

T = TypeVar("T")


@final
@frozen(eq=False)
class JvpProgram:
    """A program from primals and nonzero tangents to results and nonzero result tangents.

    `captured` operands (there are none, as a rule) go first.
    """

    program: Program
    captured: tuple[Operand, ...]
    nonzero: tuple[bool, ...]  # per result: whether the program returns its tangent


def jvp_program(
    program: Program, nonzero: Sequence[bool], instantiate: Sequence[bool] | None = None
) -> JvpProgram:
    """The jvp of a program with respect to the parameters that are `nonzero`.

    Results that `instantiate` marks get their tangent returned even when it is zero.
    """
    wanted = tuple(nonzero)
    forced = tuple(instantiate) if instantiate is not None else (False,) * len(program.results)
    return derived(program, ("jvp", wanted, forced), lambda: _make_jvp(program, wanted, forced))


def _make_jvp(program: Program, nonzero: tuple[bool, ...], forced: tuple[bool, ...]) -> JvpProgram:
    types = program.parameter_types
    given: list[Type] = [
        type.tangent() for type, wanted in zip(types, nonzero, strict=True) if wanted
    ]

    def function(*operands: Operand) -> tuple[Operands, Flags]:
        primals, tangents = operands[: len(types)], iter(operands[len(types) :])
        all_tangents: list[Tangent] = [
            next(tangents) if wanted else Zero(type.tangent())
            for type, wanted in zip(types, nonzero, strict=True)
        ]
        results, result_tangents = jvp_flat(
            lambda *xs: interpret(program, *xs), primals, all_tangents
        )
        returned = tuple(
            [
                force or not isinstance(tangent, Zero)
                for tangent, force in zip(result_tangents, forced, strict=True)
            ]
        )
        wanted = [materialise(t) for t, flag in zip(result_tangents, returned, strict=True) if flag]
        return [*results, *wanted], returned

    staged, returned = stage_tree(function, *unsharded((*types, *given)))
    return JvpProgram(staged.program, staged.captured, returned)


@final
@frozen(eq=False)
class LinearizedProgram:
    """A program in two: `known` from primals to results and residuals, `linear` from residuals and tangents.

    `linear` takes the residuals, then the nonzero tangents, and returns the nonzero result tangents.
    """

    known: Program
    captured: tuple[Operand, ...]  # for `known`, first
    linear: Program
    residuals: int
    nonzero: tuple[bool, ...]


def linearize_program(
    program: Program,
    nonzero: Sequence[bool],
    instantiate: Sequence[bool] | None = None,
    forwards: bool = True,
) -> LinearizedProgram:
    """Split a program's derivative in what is known and what is linear.

    Args:
        program: any program.
        nonzero: which parameters have a tangent.
        instantiate: which results get their tangent returned even when it is zero.
        forwards: whether the caller forwards residuals that are operands of the known part.
    """
    wanted = tuple(nonzero)
    forced = tuple(instantiate) if instantiate is not None else (False,) * len(program.results)
    return derived(
        program,
        ("linearize", wanted, forced, forwards),
        lambda: _make_linearized(program, wanted, forced, forwards),
    )


def _make_linearized(
    program: Program, nonzero: tuple[bool, ...], forced: tuple[bool, ...], forwards: bool
) -> LinearizedProgram:
    def function(*primals: Operand) -> tuple[Operands, tuple[Program, int, Flags]]:
        linearized = linearize_flat(lambda *xs: interpret(program, *xs), primals, nonzero)
        returned = elementwise_or([zero is None for zero in linearized.zero], forced)
        tape, kept = needed_residuals(prune(linearized.program), linearized.captured)
        linear = _with_zeros(tape, linearized.zero, forced)
        return [*linearized.results, *kept], (linear, len(kept), returned)

    types = program.parameter_types
    staged, (linear, residuals, returned) = stage_tree(function, *unsharded(types))
    known = staged.program
    if forwards:
        known, linear = _cast_later(known, linear, len(program.results))
    return LinearizedProgram(prune(known), staged.captured, linear, residuals, returned)


def _cast_later(known: Program, linear: Program, count: int) -> tuple[Program, Program]:
    """Return both parts of a derivative with the casts of parameters to residuals in the linear one.

    So the residual is an operand of the known part, which its caller can forward.

    Args:
        known: returns the residuals after its first `count` results.
        linear: takes the residuals first.
        count: the number of results in front of the residuals.
    """
    cast = {e.results[0]: e for e in known.equations if isinstance(e.primitive, PVary)}
    results, parameters = [*known.results], [*linear.parameters]
    casts: list[Equation] = []
    for place, atom in enumerate(known.results[count:]):
        step = cast.get(atom) if isinstance(atom, Value) else None
        if step is not None and step.operands[0] in known.parameters:
            (results[count + place],) = step.operands
            parameter = Value(step.operands[0].type)
            casts.append(Equation(step.primitive, (parameter,), (parameters[place],), step.effects))
            parameters[place] = parameter
    if not casts:
        return known, linear
    return (
        Program(known.parameters, known.equations, tuple(results)),
        Program(tuple(parameters), (*casts, *linear.equations), linear.results),
    )


def needed_residuals(program: Program, captured: Operands) -> tuple[Program, list[Operand]]:
    """The program without the residuals that it does not read: they would be stored in vain."""
    read: set[object] = {atom for atom in program.results if isinstance(atom, Value)}
    for equation in program.equations:
        read.update([atom for atom in equation.operands if isinstance(atom, Value)])
    count = len(captured)
    kept = [i for i in range(count) if program.parameters[i] in read]
    parameters = (*[program.parameters[i] for i in kept], *program.parameters[count:])
    return Program(parameters, program.equations, program.results), [captured[i] for i in kept]


def _with_zeros(program: Program, zero: Sequence[Zero | None], forced: Sequence[bool]) -> Program:
    """The program with the zero tangents that are forced among its results."""
    if not any(z is not None and force for z, force in zip(zero, forced, strict=True)):
        return program

    def function(*operands: Operand) -> Operands:
        outputs = iter(interpret(program, *operands))
        return [
            next(outputs) if z is None else materialise(z)
            for z, force in zip(zero, forced, strict=True)
            if z is None or force
        ]

    staged = stage(function, *unsharded(program.parameter_types))
    assert not staged.captured
    return staged.program


@final
@frozen(eq=False)
class TransposedProgram:
    """A program from known operands and nonzero cotangents to the cotangents of the linear parameters.

    It returns those that `nonzero` marks; the others are zero.
    """

    program: Program
    captured: tuple[Operand, ...]
    nonzero: tuple[bool, ...]


def transpose_program(
    program: Program,
    linear: Sequence[bool],
    nonzero: Sequence[bool],
    instantiate: bool = False,
    cells: Sequence[Cell] = (),
) -> TransposedProgram:
    """Transpose a program that is linear in the parameters that `linear` marks.

    `nonzero` marks the results that have a cotangent. With `instantiate` all cotangents are returned. Where backward
    rules use cells, what these hold goes first, and what they hold in the end comes last.
    """
    is_linear, given = tuple(linear), tuple(nonzero)
    return derived(
        program,
        ("transpose", is_linear, given, instantiate, *cells_key(cells)),
        lambda: _make_transposed(program, is_linear, given, instantiate, cells),
    )


def _make_transposed(
    program: Program,
    linear: tuple[bool, ...],
    nonzero: tuple[bool, ...],
    instantiate: bool,
    cells: Sequence[Cell] = (),
) -> TransposedProgram:
    order = [
        *(i for i, flag in enumerate(linear) if not flag),
        *(i for i, flag in enumerate(linear) if flag),
    ]
    parameters: tuple[Value, ...] = tuple(program.parameters[i] for i in order)
    reordered = Program(parameters, program.equations, program.results)
    known_count = linear.count(False)
    known_types = [value.type for value in parameters[:known_count]]
    cotangent_types = [
        _of_cotangent(type)
        for type, given in zip(program.result_types, nonzero, strict=True)
        if given
    ]

    held_types, structure = held_in(cells)

    def function(*operands: Operand) -> tuple[Operands, Flags]:
        values, operands = operands[: len(held_types)], operands[len(held_types) :]
        known, given = operands[:known_count], iter(operands[known_count:])
        cotangents: list[Tangent] = [
            next(given) if flag else Zero(type.tangent())
            for type, flag in zip(program.result_types, nonzero, strict=True)
        ]
        with holding(cells, structure.unflatten(values)) as held:
            outgoing = transpose(reordered, known, cotangents)
            after = [strong(x) for x in tree_leaves(held())]
        returned = tuple([instantiate or not isinstance(ct, Zero) for ct in outgoing])
        wanted = [materialise(ct) for ct, flag in zip(outgoing, returned, strict=True) if flag]
        return [*wanted, *after], returned

    types = unsharded((*held_types, *known_types, *cotangent_types))
    staged, returned = stage_tree(as_body(function), *types)
    return TransposedProgram(staged.program, staged.captured, returned)


def _of_cotangent(type: Type) -> Type:
    """The type of a cotangent that is given; of integers, which only `linear_transpose` has any of, their own."""
    if isinstance(type, ArrayType) and type.tangent().dtype == float0:
        return type.strong()
    return type.tangent()


@final
class _UsedCells:
    """The cells that backward rules in a program were seen to use, in this order."""

    __slots__ = ("cells",)
    captured: ClassVar[tuple[Operand, ...]] = ()

    def __init__(self) -> None:
        self.cells: list[Cell] = []


def transposed_with_cells(
    program: Program, key: tuple[Hashable, ...], run: Callable[[tuple[Cell, ...]], T]
) -> T:
    """Return what `run` returns, given the cells that backward rules in a program use, as `discharged` does.

    The program remembers the cells: they are found once, though the program is transposed for each of its calls.
    """
    used = derived(program, ("cells", *key), _UsedCells)

    def with_known(found: tuple[Cell, ...]) -> T:
        used.cells += [cell for cell in found if not any(cell is known for known in used.cells)]
        return run(tuple(usable(used.cells)))

    return discharged(with_known)


def cells_key(cells: Sequence[Cell]) -> tuple[Hashable, ...]:
    """Return what a program depends on that takes what cells hold: the cells, and the types of what they hold."""
    if not cells:
        return ()
    types, structure = held_in(cells)
    return (*cells, *types, structure)


def held_in(cells: Sequence[Cell]) -> tuple[list[ArrayType], PyTreeDef]:
    """The types of the arrays that cells hold, which are not weak, and the structure of what they hold."""
    leaves, structure = tree_flatten([cell.load() for cell in cells])
    return [type_of(leaf).strong() for leaf in leaves], structure


def strong(x: Operand) -> Operand:
    """An operand that is not weak."""
    type = type_of(x)
    return ops.convert(x, dtype=type.dtype, weak=False) if type.weak else x
