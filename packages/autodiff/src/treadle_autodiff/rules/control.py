"""Rules of control flow: the derivative of a loop is a loop, that of a branch is a branch.

Which carries have a tangent is found by running the body's derivative until that set stays the same. Derived
bodies are remembered with the body that they come from, so that a loop is transformed, and compiled, once.

Linearizing a loop splits it in two. The known loop computes results, and stacks what the linear one will need.
What is the same in every turn is not stacked: it is computed once, before the loop; neither is what is an
element of the xs or the ys already. The transpose of the linear loop runs the other way, its carries being the
cotangents of the carries and, summed up, those of the constants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, final

import numpy as np

from treadle_autodiff.programs import (
    JvpProgram,
    LinearizedProgram,
    jvp_program,
    linearize_program,
    pruned,
    remembered,
    transpose_program,
)
from treadle_autodiff.registry import LinearFunction, jvp_rule, linearize_rule, transpose_rule
from treadle_autodiff.rules.call import spread
from treadle_autodiff.tangents import Linear, Tangent, Zero, add, materialise, zeros
from treadle_autodiff.transpose import transpose
from treadle_ir import (
    ArrayType,
    Equation,
    Literal,
    Operand,
    Operands,
    Program,
    TreadleError,
    Type,
    Value,
    bind,
    float0,
    interpret,
    ops,
    stage,
    type_of,
)
from treadle_ir.primitives.control import Case, Scan, While

Flags: TypeAlias = tuple[bool, ...]


@final
class ReverseModeError(TreadleError, ValueError):
    """Reverse mode met a loop whose number of turns is not known."""


def _nonzero(tangents: Sequence[Tangent]) -> Flags:
    """Which tangents are there; those of integers have no data."""
    return tuple(
        [not isinstance(tangent, Zero) and type_of(tangent).dtype != float0 for tangent in tangents]
    )


def _those(items: Sequence[Any], flags: Sequence[bool]) -> list[Any]:
    return [item for item, flag in zip(items, flags, strict=True) if flag]


def _either(left: Sequence[bool], right: Sequence[bool]) -> Flags:
    return tuple([x or y for x, y in zip(left, right, strict=True)])


def _arranged(program: Program, parameters: Sequence[int], results: Sequence[int]) -> Program:
    """The program with its parameters and results in another order."""
    return Program(
        tuple([program.parameters[i] for i in parameters]),
        program.equations,
        tuple([program.results[i] for i in results]),
    )


def _unused(types: Sequence[Type]) -> list[Value]:
    """Parameters that a program takes and does not read."""
    return [Value(type) for type in types]


# --- case ------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Branches:
    """Branches of one signature, which begins with what they captured."""

    primitive: Case
    captured: tuple[Operand, ...]
    nonzero: Flags


def _with_common_captured(
    programs: Sequence[Program], captured: Sequence[Sequence[Operand]]
) -> tuple[tuple[Program, ...], tuple[Operand, ...]]:
    """The programs with all that any of them captured as leading parameters."""
    widened = []
    for index, program in enumerate(programs):
        own = len(captured[index])
        leading: list[Value] = []
        for other, operands in enumerate(captured):
            leading += (
                program.parameters[:own]
                if other == index
                else _unused([type_of(x) for x in operands])
            )
        widened.append(
            Program((*leading, *program.parameters[own:]), program.equations, program.results)
        )
    return tuple(widened), tuple([operand for operands in captured for operand in operands])


def _union(flags: Sequence[Flags]) -> Flags:
    return tuple([any(each) for each in zip(*flags, strict=True)])


@jvp_rule(Case)
def case_jvp(
    primitive: Case, primals: Operands, tangents: Sequence[Tangent], /
) -> tuple[Operands, Sequence[Tangent]]:
    """The chosen branch's jvp; a result has a tangent if it has one in some branch."""
    flags = _nonzero(tangents)[1:]
    made = remembered(
        primitive.branches[0],
        ("case_jvp", primitive.branches[1:], flags),
        lambda: _case_jvp(primitive.branches, flags),
    )
    given = _those(tangents[1:], flags)
    outputs = bind(made.primitive, primals[0], *made.captured, *primals[1:], *given)
    types = primitive.branches[0].result_types
    return outputs[: len(types)], spread(outputs[len(types) :], made.nonzero, types)


def _case_jvp(branches: Sequence[Program], flags: Flags) -> _Branches:
    nonzero = _union([jvp_program(branch, flags).nonzero for branch in branches])
    jvps = [jvp_program(branch, flags, nonzero) for branch in branches]
    programs, captured = _with_common_captured(
        [each.program for each in jvps], [each.captured for each in jvps]
    )
    return _Branches(Case(programs), captured, nonzero)


@final
@dataclass(frozen=True, slots=True, eq=False)
class _LinearizedCase:
    """A case in two. Residuals are results of the known one, or operands that are handed on as they are."""

    known: Case
    captured: tuple[Operand, ...]
    linear: Case
    slots: int  # residuals that the known case returns
    handed_on: tuple[int, ...]  # places among the known case's operands after the index
    nonzero: Flags


@linearize_rule(Case)
def case_linearize(
    primitive: Case, primals: Operands, nonzero: Sequence[bool], /
) -> tuple[Operands, LinearFunction]:
    """The chosen branch now, with the residuals of all branches in common places; its linear part later."""
    flags = tuple(nonzero[1:])
    split = remembered(
        primitive.branches[0],
        ("case_linearize", primitive.branches[1:], flags),
        lambda: _linearize_case(primitive.branches, flags),
    )
    operands = (*split.captured, *primals[1:])
    outputs = bind(split.known, primals[0], *operands)
    types = primitive.branches[0].result_types
    residuals = [*outputs[len(types) :], *[operands[i] for i in split.handed_on]]

    def linear(tangents: Sequence[Tangent]) -> Sequence[Tangent]:
        if not any(split.nonzero):
            return spread((), split.nonzero, types)
        given = [materialise(tangent) for tangent in _those(tangents[1:], flags)]
        return spread(bind(split.linear, primals[0], *residuals, *given), split.nonzero, types)

    return outputs[: len(types)], linear


def _linearize_case(branches: Sequence[Program], flags: Flags) -> _LinearizedCase:
    nonzero = _union([linearize_program(branch, flags).nonzero for branch in branches])
    splits = [linearize_program(branch, flags, nonzero) for branch in branches]
    knowns, captured = _with_common_captured(
        [each.known for each in splits], [each.captured for each in splits]
    )
    count = len(nonzero)
    slots: list[Type] = []  # the common places, by type
    handed_on: list[int] = []
    placed: list[dict[int, Value]] = []  # per branch: its residual parameters by slot
    passed: list[
        dict[int, Value]
    ] = []  # per branch: its residual parameters by place in `handed_on`
    returned: list[dict[int, Any]] = []  # per branch: what the known branch returns, by slot
    for known, split in zip(knowns, splits, strict=True):
        place = {parameter: i for i, parameter in enumerate(known.parameters)}
        in_slots: dict[int, Value] = {}
        in_passed: dict[int, Value] = {}
        out: dict[int, Any] = {}
        for atom, parameter in zip(
            known.results[count:], split.linear.parameters[: split.residuals], strict=True
        ):
            source = place.get(atom) if isinstance(atom, Value) else None
            if source is not None:
                at = next(
                    (i for i, s in enumerate(handed_on) if s == source and i not in in_passed), None
                )
                if at is None:
                    at = len(handed_on)
                    handed_on.append(source)
                in_passed[at] = parameter
            else:
                at = next(
                    (i for i, t in enumerate(slots) if t == parameter.type and i not in in_slots),
                    None,
                )
                if at is None:
                    at = len(slots)
                    slots.append(parameter.type)
                in_slots[at] = parameter
                out[at] = atom
        placed.append(in_slots)
        passed.append(in_passed)
        returned.append(out)
    handed_types = [knowns[0].parameters[i].type for i in handed_on]
    known_branches, linear_branches = [], []
    for i, (known, split) in enumerate(zip(knowns, splits, strict=True)):
        known_branches.append(_with_slots(known, count, slots, returned[i]))
        leading = [placed[i].get(at) or Value(type) for at, type in enumerate(slots)]
        leading += [passed[i].get(at) or Value(type) for at, type in enumerate(handed_types)]
        tangents = split.linear.parameters[split.residuals :]
        linear_branches.append(
            Program((*leading, *tangents), split.linear.equations, split.linear.results)
        )
    return _LinearizedCase(
        Case(tuple(known_branches)),
        captured,
        Case(tuple(linear_branches)),
        len(slots),
        tuple(handed_on),
        nonzero,
    )


def _with_slots(
    program: Program, count: int, slots: Sequence[Type], returned: dict[int, Any]
) -> Program:
    """The program with its first results, then what it has for each slot; zeros where it has nothing."""
    empty = [i for i in range(len(slots)) if i not in returned]
    filling = stage(lambda: [zeros(slots[i]) for i in empty]).program
    fill = dict(zip(empty, filling.results, strict=True))
    more = [returned[i] if i in returned else fill[i] for i in range(len(slots))]
    return Program(
        program.parameters,
        (*program.equations, *filling.equations),
        (*program.results[:count], *more),
    )


@transpose_rule(Case)
def case_transpose(
    primitive: Case, cotangents: Sequence[Tangent], operands: Sequence[Operand | Linear], /
) -> Sequence[Tangent | None]:
    """The chosen branch's transpose."""
    index = operands[0]
    assert not isinstance(index, Linear), "the index of a case is an integer"
    linear = tuple([isinstance(operand, Linear) for operand in operands[1:]])
    given = _nonzero(cotangents)
    made = remembered(
        primitive.branches[0],
        ("case_transpose", primitive.branches[1:], linear, given),
        lambda: _transpose_case(primitive.branches, linear, given),
    )
    known = [operand for operand in operands[1:] if not isinstance(operand, Linear)]
    outputs = iter(bind(made.primitive, index, *made.captured, *known, *_those(cotangents, given)))
    flags = iter(made.nonzero)
    return [
        (next(outputs) if next(flags) else Zero(operand.type.tangent()))
        if isinstance(operand, Linear)
        else None
        for operand in operands
    ]


def _transpose_case(branches: Sequence[Program], linear: Flags, given: Flags) -> _Branches:
    nonzero = _union([transpose_program(branch, linear, given).nonzero for branch in branches])
    transposed = [transpose_program(branch, linear, given, instantiate=True) for branch in branches]
    programs, captured = _with_common_captured(
        [
            Program(
                each.program.parameters,
                each.program.equations,
                tuple(_those(each.program.results, nonzero)),
            )
            for each in transposed
        ],
        [each.captured for each in transposed],
    )
    return _Branches(Case(programs), captured, nonzero)


# --- scan ------------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Loop:
    """A derived scan body; `captured` goes first among the constants."""

    body: Program
    captured: tuple[Operand, ...]
    constants: int
    carried: Flags  # per carry of the original: whether it has a tangent or cotangent
    nonzero: Flags  # per result (jvp) or linear operand (transpose): whether it is returned


@final
@dataclass(frozen=True, slots=True)
class _Parts:
    """Operands of a scan in their three groups."""

    constants: int
    carries: int

    def __call__(self, items: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
        """Constants, carries, xs."""
        fixed = self.constants + self.carries
        return items[: self.constants], items[self.constants : fixed], items[fixed:]


def _carried(
    nonzero_of: Callable[[Flags], Sequence[bool]], start: Sequence[bool], carries: int
) -> Flags:
    """The carries that have a tangent: at first, or after some turn. `nonzero_of` runs the body's derivative."""
    carried = tuple(start)
    while True:
        after = _either(carried, nonzero_of(carried)[:carries])
        if after == carried:
            return carried
        carried = after


@jvp_rule(Scan)
def scan_jvp(
    primitive: Scan, primals: Operands, tangents: Sequence[Tangent], /
) -> tuple[Operands, Sequence[Tangent]]:
    """One loop over primals and tangents."""
    parts = _Parts(primitive.constants, primitive.carries)
    flags = _nonzero(tangents)
    body = primitive.body
    loop = remembered(body, ("scan_jvp", parts, flags), lambda: _scan_jvp(body, parts, flags))
    constants, carries, xs = parts(primals)
    dconstants, dcarries, dxs = parts(tangents)
    of_constants, _, of_xs = parts(flags)
    outputs = bind(
        Scan(
            loop.body,
            primitive.length,
            loop.constants,
            len(carries) + sum(loop.carried),
            primitive.reverse,
            primitive.unroll,
        ),
        *loop.captured,
        *constants,
        *_those(dconstants, of_constants),
        *carries,
        *[materialise(tangent) for tangent in _those(dcarries, loop.carried)],
        *xs,
        *_those(dxs, of_xs),
    )
    first, moving = len(carries), sum(loop.carried)
    count = len(body.results)
    results = [*outputs[:first], *outputs[first + moving : count + moving]]
    result_tangents = [*outputs[first : first + moving], *outputs[count + moving :]]
    types = _result_types(primitive)
    return results, spread(result_tangents, loop.nonzero, types)


def _result_types(primitive: Scan) -> list[Type]:
    types: list[Type] = []
    for index, type in enumerate(primitive.body.result_types):
        assert isinstance(type, ArrayType)
        types.append(
            type if index < primitive.carries else type.with_shape((primitive.length, *type.shape))
        )
    return types


def _scan_jvp(body: Program, parts: _Parts, flags: Flags) -> _Loop:
    of_constants, of_carries, of_xs = parts(flags)
    carried = _carried(
        lambda carried: jvp_program(body, (*of_constants, *carried, *of_xs)).nonzero,
        of_carries,
        parts.carries,
    )
    jvp = _forced_jvp(body, (*of_constants, *carried, *of_xs), carried)
    captured, count = len(jvp.captured), len(body.parameters)
    order = range(captured, captured + count)
    tangents = iter(range(captured + count, len(jvp.program.parameters)))
    dconstants = [next(tangents) for flag in of_constants if flag]
    dcarries = [next(tangents) for flag in carried if flag]
    constants, carries, xs = parts(order)
    parameters = [*range(captured), *constants, *dconstants, *carries, *dcarries, *xs, *tangents]
    first, moving, results = parts.carries, sum(carried), len(body.results)
    arranged = _arranged(
        jvp.program,
        parameters,
        [
            *range(first),
            *range(results, results + moving),
            *range(first, results),
            *range(results + moving, len(jvp.program.results)),
        ],
    )
    return _Loop(
        arranged, jvp.captured, captured + parts.constants + len(dconstants), carried, jvp.nonzero
    )


def _forced_jvp(body: Program, nonzero: Flags, carried: Flags) -> JvpProgram:
    return jvp_program(body, nonzero, (*carried, *(False for _ in body.results[len(carried) :])))


@final
@dataclass(frozen=True, slots=True, eq=False)
class _LinearizedScan:
    """A scan in two, with what is the same in every turn taken out.

    `before` runs once, on `captured` and the constants. The known body's constants are `captured`, the constants,
    and what `before` returns. `residuals` says where each residual of the linear body comes from.
    """

    before: Program
    known: Program
    captured: tuple[Operand, ...]
    linear: Program
    fixed: tuple[tuple[str, Any], ...]  # residuals that are constants of the linear scan
    moving: tuple[tuple[str, Any], ...]  # residuals that are xs of the linear scan
    carried: Flags
    nonzero: Flags


@linearize_rule(Scan)
def scan_linearize(
    primitive: Scan, primals: Operands, nonzero: Sequence[bool], /
) -> tuple[Operands, LinearFunction]:
    """The known loop now, stacking residuals; the linear loop over them for later."""
    parts = _Parts(primitive.constants, primitive.carries)
    flags = tuple(nonzero)
    body = primitive.body
    split = remembered(
        body, ("scan_linearize", parts, flags), lambda: _linearize_scan(body, parts, flags)
    )
    constants, carries, xs = parts(primals)
    constants = [*split.captured, *constants]
    computed = interpret(split.before, *constants)
    known = Scan(
        split.known,
        primitive.length,
        len(constants) + len(computed),
        len(carries),
        primitive.reverse,
        primitive.unroll,
    )
    outputs = bind(known, *constants, *computed, *carries, *xs)
    sources = {"constant": constants, "before": computed, "x": xs, "result": outputs}
    fixed = [x if name == "literal" else sources[name][x] for name, x in split.fixed]
    moving = [sources[name][x] for name, x in split.moving]
    types = _result_types(primitive)

    def linear(tangents: Sequence[Tangent]) -> Sequence[Tangent]:
        if not any(split.nonzero):
            return spread((), split.nonzero, types)
        dconstants, dcarries, dxs = parts(tangents)
        of_constants, _, of_xs = parts(flags)
        given = [materialise(tangent) for tangent in _those(dconstants, of_constants)]
        scan = Scan(
            split.linear,
            primitive.length,
            len(fixed) + len(given),
            sum(split.carried),
            primitive.reverse,
            primitive.unroll,
        )
        returned = bind(
            scan,
            *fixed,
            *given,
            *[materialise(tangent) for tangent in _those(dcarries, split.carried)],
            *moving,
            *[materialise(tangent) for tangent in _those(dxs, of_xs)],
        )
        return spread(returned, split.nonzero, types)

    return outputs[: len(types)], linear


def _linearize_scan(body: Program, parts: _Parts, flags: Flags) -> _LinearizedScan:
    of_constants, of_carries, of_xs = parts(flags)

    def linearized(carried: Flags, forced: Flags) -> LinearizedProgram:
        force = (*forced, *(False for _ in body.results[parts.carries :]))
        return linearize_program(body, (*of_constants, *carried, *of_xs), force)

    none = (False,) * parts.carries
    carried = _carried(lambda carried: linearized(carried, none).nonzero, of_carries, parts.carries)
    split = linearized(carried, carried)
    known = split.known
    first = len(split.captured) + parts.constants  # the first carry
    constants = {value: i for i, value in enumerate(known.parameters[:first])}
    xs = {value: i for i, value in enumerate(known.parameters[first + parts.carries :])}
    count = len(body.results)
    ys = {
        atom: i
        for i, atom in enumerate(known.results[:count])
        if i >= parts.carries and isinstance(atom, Value)
    }
    residuals = known.results[count:]
    invariant = _invariant(known, constants)
    hoisted = list(
        dict.fromkeys(
            x for x in residuals if isinstance(x, Value) and x in invariant and x not in constants
        )
    )
    before, computed = _computed_before(known, first, hoisted)
    position = {value: i for i, value in enumerate(computed)}
    stacked: list[Any] = []
    places: list[tuple[str, Any]] = []
    for atom in residuals:
        if isinstance(atom, Literal):
            places.append(("literal", atom))
        elif atom in constants:
            places.append(("constant", constants[atom]))
        elif atom in position:
            places.append(("before", position[atom]))
        elif atom in xs:
            places.append(("x", xs[atom]))
        elif atom in ys:
            places.append(("result", ys[atom]))
        else:
            places.append(("result", count + len(stacked)))
            stacked.append(atom)
    made_before = set(computed)
    known_body = pruned(
        Program(
            (*known.parameters[:first], *computed, *known.parameters[first:]),
            tuple([e for e in known.equations if made_before.isdisjoint(e.results)]),
            (*known.results[:count], *stacked),
        )
    )
    is_fixed = [name in ("literal", "constant", "before") for name, _ in places]
    # The linear body's parameters are residuals, then tangents; a scan wants constants, carries, xs.
    indices = range(split.residuals)
    tangents = iter(range(split.residuals, len(split.linear.parameters)))
    dconstants = [next(tangents) for flag in of_constants if flag]
    dcarries = [next(tangents) for flag in carried if flag]
    order = [
        *[i for i in indices if is_fixed[i]],
        *dconstants,
        *dcarries,
        *[i for i in indices if not is_fixed[i]],
        *tangents,
    ]
    linear = _arranged(split.linear, order, range(len(split.linear.results)))
    return _LinearizedScan(
        before,
        known_body,
        split.captured,
        linear,
        tuple([place for place, flag in zip(places, is_fixed, strict=True) if flag]),
        tuple([place for place, flag in zip(places, is_fixed, strict=True) if not flag]),
        carried,
        split.nonzero,
    )


def _invariant(program: Program, constants: dict[Value, int]) -> set[Any]:
    """The values that only depend on the constants."""
    invariant: set[Any] = set(constants)
    for equation in program.equations:
        if not equation.effects and all(
            isinstance(atom, Literal) or atom in invariant for atom in equation.operands
        ):
            invariant.update(equation.results)
    return invariant


def _computed_before(
    program: Program, constants: int, wanted: Sequence[Value]
) -> tuple[Program, list[Value]]:
    """The part of a program that computes some values from its first parameters, and the values it returns.

    It returns all results of an equation that has one of the wanted ones.
    """
    live: set[Any] = set(wanted)
    equations: list[Equation] = []
    results: list[Value] = []
    for equation in reversed(program.equations):
        if live.isdisjoint(equation.results):
            continue
        equations.append(equation)
        live.update(equation.operands)
        if not set(wanted).isdisjoint(equation.results):
            results += equation.results
    return Program(
        program.parameters[:constants], tuple(reversed(equations)), tuple(results)
    ), results


@transpose_rule(Scan)
def scan_transpose(
    primitive: Scan, cotangents: Sequence[Tangent], operands: Sequence[Operand | Linear], /
) -> Sequence[Tangent | None]:
    """The loop the other way; cotangents of constants are summed up in carries."""
    parts = _Parts(primitive.constants, primitive.carries)
    body = primitive.body
    linear = tuple([isinstance(operand, Linear) for operand in operands])
    of_constants, _, of_xs = (tuple(flags) for flags in parts(linear))
    if not all(_dependent(body, parts, linear)):
        return _transpose_beside_known(primitive, cotangents, operands)
    given = _nonzero(cotangents)
    loop = remembered(
        body,
        ("scan_transpose", parts, of_constants, of_xs, given),
        lambda: _transpose_scan(body, parts, of_constants, of_xs, given),
    )
    constants, carries, xs = parts(operands)
    known_constants = [x for x in constants if not isinstance(x, Linear)]
    lengths = sum(of_constants), parts.carries
    back_constants, _, back_xs = _Parts(*lengths)(loop.nonzero)
    sums = [
        zeros(x.type.tangent())
        for x, flag in zip(
            [x for x in constants if isinstance(x, Linear)], back_constants, strict=True
        )
        if flag
    ]
    scan = Scan(
        loop.body,
        primitive.length,
        loop.constants,
        len(sums) + sum(loop.carried),
        not primitive.reverse,
        primitive.unroll,
    )
    ct_carries, ct_ys = cotangents[: parts.carries], cotangents[parts.carries :]
    outputs = iter(
        bind(
            scan,
            *loop.captured,
            *known_constants,
            *sums,
            *[materialise(ct) for ct in _those(ct_carries, loop.carried)],
            *[x for x in xs if not isinstance(x, Linear)],
            *_those(ct_ys, given[parts.carries :]),
        )
    )
    outgoing: list[Tangent | None] = []
    flags = iter(back_constants)
    for x in constants:
        outgoing.append(_cotangent(x, outputs, next(flags)) if isinstance(x, Linear) else None)
    for x, flag in zip(carries, loop.carried, strict=True):
        ct = next(outputs) if flag else None
        if not isinstance(x, Linear):
            outgoing.append(None)  # zeros at the start: nobody waits for their cotangent
        else:
            outgoing.append(Zero(x.type.tangent()) if ct is None else ct)
    flags = iter(back_xs)
    for x in xs:
        outgoing.append(_cotangent(x, outputs, next(flags)) if isinstance(x, Linear) else None)
    return outgoing


def _cotangent(operand: Linear, outputs: Any, returned: bool) -> Tangent:
    if returned:
        ct: Operand = next(outputs)
        return ct
    return Zero(operand.type.tangent())


def _dependent(body: Program, parts: _Parts, linear: Sequence[bool]) -> Flags:
    """The carries that depend on a linear operand, at first or after some turn."""
    of_constants, of_carries, of_xs = parts(linear)

    def after_a_turn(carried: Flags) -> Sequence[bool]:
        flags = (*of_constants, *carried, *of_xs)
        touched: set[Any] = set(_those(body.parameters, flags))
        for equation in body.equations:
            if not touched.isdisjoint(equation.operands):
                touched.update(equation.results)
        return [atom in touched for atom in body.results]

    return _carried(after_a_turn, of_carries, parts.carries)


def _transpose_beside_known(
    primitive: Scan, cotangents: Sequence[Tangent], operands: Sequence[Operand | Linear]
) -> Sequence[Tangent | None]:
    """Transpose a loop that also carries known values, a counter for example.

    The loop is linear in the `Linear` operands, so it is its own derivative at zero. Linearizing it there
    runs the known carries and leaves a loop that carries nothing else than linear values.
    """
    linear = [isinstance(operand, Linear) for operand in operands]
    primals = [zeros(x.type) if isinstance(x, Linear) else x for x in operands]
    _, derivative = scan_linearize(primitive, primals, linear)
    types = [operand.type for operand in operands if isinstance(operand, Linear)]

    def function(*given: Operand) -> Operands:
        tangents = iter(given)
        return [
            materialise(tangent)
            for tangent in derivative(
                [
                    next(tangents) if isinstance(x, Linear) else Zero(type_of(x).tangent())
                    for x in operands
                ]
            )
        ]

    staged = stage(function, *types)
    outgoing = iter(transpose(staged.program, staged.captured, cotangents))
    return [next(outgoing) if flag else None for flag in linear]


def _transpose_scan(
    body: Program, parts: _Parts, of_constants: Flags, of_xs: Flags, given: Flags
) -> _Loop:
    linear = (*of_constants, *(True for _ in range(parts.carries)), *of_xs)
    sums = sum(of_constants)
    of_ys = given[parts.carries :]
    back = _Parts(sums, parts.carries)
    carried = _carried(
        lambda carried: back(transpose_program(body, linear, (*carried, *of_ys)).nonzero)[1],
        given[: parts.carries],
        parts.carries,
    )
    nonzero = transpose_program(body, linear, (*carried, *of_ys)).nonzero
    made = transpose_program(body, linear, (*carried, *of_ys), instantiate=True)
    back_constants, _, back_xs = back(nonzero)
    known_xs = of_xs.count(False)
    fixed = len(made.captured) + of_constants.count(False)
    # `made` takes what is fixed, the known xs, then cotangents; a scan wants carries before xs.
    types = made.program.parameter_types
    first_x, first_ct = fixed, fixed + known_xs
    ct_carries = types[first_ct : first_ct + sum(carried)]
    ct_ys = types[first_ct + sum(carried) :]
    linear_constants = _those(body.parameters[: parts.constants], of_constants)
    sum_types = [value.type.tangent() for value in _those(linear_constants, back_constants)]

    def turn(*operands: Operand) -> Operands:
        given = iter(operands)
        constants = [next(given) for _ in range(fixed)]
        so_far = [next(given) for _ in sum_types]
        incoming = [next(given) for _ in ct_carries]
        elements = [next(given) for _ in range(known_xs)]
        outputs = interpret(made.program, *constants, *elements, *incoming, *given)
        to_constants, to_carries, to_xs = back(outputs)
        summed = [
            materialise(add(x, y))
            for x, y in zip(so_far, _those(to_constants, back_constants), strict=True)
        ]
        return [*summed, *_those(to_carries, carried), *_those(to_xs, back_xs)]

    staged = stage(turn, *types[:fixed], *sum_types, *ct_carries, *types[first_x:first_ct], *ct_ys)
    assert not staged.captured, "a turn takes everything as operands"
    return _Loop(staged.program, made.captured, fixed, carried, nonzero)


# --- while -----------------------------------------------------------------------------------------


@final
@dataclass(frozen=True, slots=True, eq=False)
class _WhileJvp:
    """A while loop over primals and tangents; `captured` goes first among the body's constants."""

    primitive: While
    captured: tuple[Operand, ...]
    carried: Flags


@jvp_rule(While)
def while_jvp(
    primitive: While, primals: Operands, tangents: Sequence[Tangent], /
) -> tuple[Operands, Sequence[Tangent]]:
    """One loop over primals and tangents; the condition sees the primals only."""
    of_cond = primitive.cond_constants
    parts = _Parts(primitive.body_constants, len(primals) - of_cond - primitive.body_constants)
    flags = _nonzero(tangents)[of_cond:]
    loop = remembered(
        primitive.body,
        ("while_jvp", primitive.cond, parts, flags, of_cond, primitive.trip_bound),
        lambda: _while_jvp(primitive, parts, flags),
    )
    constants, carries, _ = parts(primals[of_cond:])
    dconstants, dcarries, _ = parts(tangents[of_cond:])
    outputs = bind(
        loop.primitive,
        *primals[:of_cond],
        *loop.captured,
        *constants,
        *_those(dconstants, parts(flags)[0]),
        *carries,
        *[materialise(tangent) for tangent in _those(dcarries, loop.carried)],
    )
    count = len(carries)
    return outputs[:count], spread(outputs[count:], loop.carried, primitive.body.result_types)


def _while_jvp(primitive: While, parts: _Parts, flags: Flags) -> _WhileJvp:
    body = primitive.body
    of_constants, of_carries, _ = parts(flags)
    carried = _carried(
        lambda carried: jvp_program(body, (*of_constants, *carried)).nonzero,
        of_carries,
        parts.carries,
    )
    jvp = jvp_program(body, (*of_constants, *carried), carried)
    captured, count = len(jvp.captured), len(body.parameters)
    last = captured + count + sum(of_constants)
    first = captured + parts.constants
    order = [
        *range(first),
        *range(captured + count, last),
        *range(first, captured + count),
        *range(last, len(jvp.program.parameters)),
    ]
    arranged = _arranged(jvp.program, order, range(len(jvp.program.results)))
    tangents = _unused(_those([type.tangent() for type in body.result_types], carried))
    cond = primitive.cond
    return _WhileJvp(
        While(
            Program((*cond.parameters, *tangents), cond.equations, cond.results),
            arranged,
            primitive.cond_constants,
            first + sum(of_constants),
            primitive.trip_bound,
        ),
        jvp.captured,
        carried,
    )


@linearize_rule(While)
def while_linearize(
    primitive: While, primals: Operands, nonzero: Sequence[bool], /
) -> tuple[Operands, LinearFunction]:
    """With a trip bound, as a scan. Without, the results now, and for later a loop over both."""
    if primitive.trip_bound is not None:
        bounded = remembered(
            primitive.body,
            ("while_bounded", primitive.cond, primitive.cond_constants, primitive.body_constants),
            lambda: _Bounded(_bounded_turn(primitive)),
        )
        constants = primitive.cond_constants + primitive.body_constants
        carries = len(primals) - constants
        scan = Scan(bounded.turn, primitive.trip_bound, constants, carries)
        return scan_linearize(scan, primals, nonzero)

    def linear(tangents: Sequence[Tangent]) -> Sequence[Tangent]:
        known = [
            tangent if flag else Zero(type_of(x).tangent())
            for tangent, x, flag in zip(tangents, primals, nonzero, strict=True)
        ]
        return while_jvp(primitive, primals, known)[1]

    return bind(primitive, *primals), linear


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Bounded:
    turn: Program
    captured: tuple[Operand, ...] = ()


def _bounded_turn(primitive: While) -> Program:
    """One turn of a scan that stands for a while loop: the body if the condition still holds, else nothing."""
    of_cond, of_body = primitive.cond_constants, primitive.body_constants
    cond, body = primitive.cond, primitive.body
    # A program of its own: what is remembered with `body` must not keep `body` alive.
    go_on = Program(body.parameters, body.equations, body.results)
    stay_parameters = _unused(body.parameter_types)
    stay = Program(tuple(stay_parameters), (), tuple(stay_parameters[of_body:]))

    def turn(*operands: Operand) -> Operands:
        carries = operands[of_cond + of_body :]
        (holds,) = interpret(cond, *operands[:of_cond], *carries)
        index = ops.convert(holds, dtype=np.dtype(np.int32))
        return bind(Case((stay, go_on)), index, *operands[of_cond:])

    types = (*cond.parameter_types[:of_cond], *body.parameter_types)
    staged = stage(turn, *types)
    assert not staged.captured, "programs are closed"
    return staged.program


@transpose_rule(While)
def while_transpose(
    primitive: While, cotangents: Sequence[Tangent], operands: Sequence[Operand | Linear], /
) -> Sequence[Tangent | None]:
    """Impossible: the number of turns to go back is not known."""
    raise ReverseModeError(
        "reverse-mode differentiation (grad, vjp, jacrev) cannot pass a while loop, or a fori_loop whose bounds "
        "are traced: how many intermediate values to keep is not known when the program is made",
        fix="use lax.scan, or lax.fori_loop with Python integers as bounds; or give lax.while_loop `max_steps`; "
        "forward mode (jvp, jacfwd) passes any loop",
    )
