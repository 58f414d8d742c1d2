"""Rules of scan: the derivative of a loop is a loop.

Which carries have a tangent is found by running the body's derivative until that set stays the same. Derived
bodies are cached with the body that they come from, so that a loop is transformed, and compiled, once.

Linearizing a loop splits it in two. The known loop computes results, and stacks what the linear one will need.
What is the same in every iteration is not stacked: it is computed once, before the loop; neither is what is an
element of the xs or the ys already. The transpose of the linear loop runs the other way, its carries being the
cotangents of the carries and, summed up, those of the constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

from treadle_autodiff.dependence import DEPENDENCE
from treadle_autodiff.programs import (
    JvpProgram,
    LinearizedProgram,
    TransposedProgram,
    held_in,
    jvp_program,
    linearize_program,
    strong,
    transpose_program,
)
from treadle_autodiff.registry import LinearFunction, jvp_rule, linearize_rule, transpose_rule
from treadle_autodiff.rules.call import with_zeros
from treadle_autodiff.rules.control.invariant import computed_before, invariant
from treadle_autodiff.rules.control.operands import nonzero_flags, those
from treadle_autodiff.tangents import Linear, Tangent, Zero, add, materialise, zeros
from treadle_ir import (
    ArrayType,
    Cell,
    Flags,
    Literal,
    LoopParts,
    Operand,
    Operands,
    Program,
    Type,
    UnsupportedError,
    Value,
    bind,
    derived,
    discharged,
    frozen,
    interpret_unchecked as interpret,
    reached_carries,
    rearranged,
    stage,
    store,
    type_of,
    unsharded,
)
from treadle_ir.dtypes import is_integer
from treadle_ir.primitives.control import Scan
from treadle_ir.rewrite import prune
from treadle_ir.tree import tree_flatten


@final
@frozen(eq=False)
class _Loop:
    """A derived scan body; `captured` goes first among the constants."""

    body: Program
    captured: tuple[Operand, ...]
    constants: int
    carried: Flags  # per carry of the original: whether it has a tangent or cotangent
    nonzero: Flags  # per result (jvp) or linear operand (transpose): whether it is returned


@jvp_rule(Scan)
def scan_jvp(
    primitive: Scan, primals: Operands, tangents: Sequence[Tangent], /
) -> tuple[Operands, Sequence[Tangent]]:
    """One loop over primals and tangents."""
    parts = LoopParts(primitive.constants, primitive.carries)
    flags = nonzero_flags(tangents)
    body = primitive.body
    loop = derived(body, ("scan_jvp", parts, flags), lambda: _scan_jvp(body, parts, flags))
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
        *those(dconstants, of_constants),
        *carries,
        *[materialise(tangent) for tangent in those(dcarries, loop.carried)],
        *xs,
        *those(dxs, of_xs),
    )
    first, moving = len(carries), sum(loop.carried)
    count = len(body.results)
    results = [*outputs[:first], *outputs[first + moving : count + moving]]
    result_tangents = [*outputs[first : first + moving], *outputs[count + moving :]]
    types = _result_types(primitive)
    return results, with_zeros(result_tangents, loop.nonzero, types)


def _result_types(primitive: Scan) -> list[Type]:
    types: list[Type] = []
    for index, type in enumerate(primitive.body.result_types):
        assert isinstance(type, ArrayType)
        types.append(
            type if index < primitive.carries else type.with_shape((primitive.length, *type.shape))
        )
    return types


def _scan_jvp(body: Program, parts: LoopParts, flags: Flags) -> _Loop:
    of_constants, of_carries, of_xs = parts(flags)
    carried = reached_carries(
        lambda carried: jvp_program(body, (*of_constants, *carried, *of_xs)).nonzero,
        of_carries,
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
    arranged = rearranged(
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
@frozen(eq=False)
class _LinearizedScan:
    """A scan in two, with what is the same in every iteration taken out.

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
    parts = LoopParts(primitive.constants, primitive.carries)
    flags = tuple(nonzero)
    results, split, residuals = _run_known(primitive, primals, flags)
    types = _result_types(primitive)

    def linear(tangents: Sequence[Tangent]) -> Sequence[Tangent]:
        if not any(split.nonzero):
            return with_zeros((), split.nonzero, types)
        dconstants, dcarries, dxs = parts(tangents)
        of_constants, _, of_xs = parts(flags)
        returned = bind(
            _linear_scan(primitive, split, flags),
            *residuals.fixed,
            *[materialise(tangent) for tangent in those(dconstants, of_constants)],
            *[materialise(tangent) for tangent in those(dcarries, split.carried)],
            *residuals.moving,
            *[materialise(tangent) for tangent in those(dxs, of_xs)],
        )
        return with_zeros(returned, split.nonzero, types)

    return results, linear


@final
@frozen(eq=False)
class _Residuals:
    """What the linear loop takes from the known one: as constants, and as xs."""

    fixed: Operands
    moving: Operands


def _run_known(
    primitive: Scan, primals: Operands, flags: Flags
) -> tuple[Operands, _LinearizedScan, _Residuals]:
    """Run the known half of a loop: its results, the loop in two, and what the linear half takes of it."""
    parts = LoopParts(primitive.constants, primitive.carries)
    body = primitive.body
    split = derived(
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
    residuals = _Residuals(
        [x if name == "literal" else sources[name][x] for name, x in split.fixed],
        [sources[name][x] for name, x in split.moving],
    )
    return outputs[: len(body.results)], split, residuals


def _linear_scan(primitive: Scan, split: _LinearizedScan, flags: Flags) -> Scan:
    """The linear half of a loop. It takes fixed residuals, tangents of constants and carries, the others, and of xs."""
    return Scan(
        split.linear,
        primitive.length,
        len(split.fixed) + sum(flags[: primitive.constants]),
        sum(split.carried),
        primitive.reverse,
        primitive.unroll,
    )


def _linearize_scan(body: Program, parts: LoopParts, flags: Flags) -> _LinearizedScan:
    of_constants, of_carries, of_xs = parts(flags)

    def linearized(carried: Flags, forced: Flags) -> LinearizedProgram:
        force = (*forced, *(False for _ in body.results[parts.carries :]))
        return linearize_program(body, (*of_constants, *carried, *of_xs), force)

    none = (False,) * parts.carries
    carried = reached_carries(lambda carried: linearized(carried, none).nonzero, of_carries)
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
    unchanging = invariant(known, constants)
    hoisted = list(
        dict.fromkeys(
            x for x in residuals if isinstance(x, Value) and x in unchanging and x not in constants
        )
    )
    before, computed = computed_before(known, first, hoisted)
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
    known_body = prune(
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
    linear = rearranged(split.linear, order, range(len(split.linear.results)))
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


@transpose_rule(Scan)
def scan_transpose(
    primitive: Scan, cotangents: Sequence[Tangent], operands: Sequence[Operand | Linear], /
) -> Sequence[Tangent | None]:
    """The loop the other way; cotangents of constants are summed up in carries.

    Raises:
        UnsupportedError: the loop is linear in integers, as `linear_transpose` may be asked for.
    """
    linear = tuple([isinstance(operand, Linear) for operand in operands])
    for operand in operands:
        type = operand.type if isinstance(operand, Linear) else None
        # The transposed loop is made of derivatives, and integers have none.
        if isinstance(type, ArrayType) and is_integer(type.dtype):
            raise UnsupportedError(
                f"linear_transpose: a loop is linear in an operand of type {type}, "
                "but only loops of floating and complex numbers are transposed",
                fix="transpose it at a float: linear_transpose(f, x.astype(float))",
            )
    (touched,) = DEPENDENCE.within(primitive, linear).parameters
    _, carries, _ = LoopParts(primitive.constants, primitive.carries)(touched)
    if not all(carries):
        return _transpose_beside_known(primitive, cotangents, operands, linear)
    # Backward rules of users may write to references.
    return discharged(lambda cells: _transposed(primitive, cotangents, operands, cells))


def _transposed(
    primitive: Scan,
    cotangents: Sequence[Tangent],
    operands: Sequence[Operand | Linear],
    cells: tuple[Cell, ...],
) -> Sequence[Tangent | None]:
    """The transposed loop, of linear carries; it carries what cells hold that are used in its body."""
    parts = LoopParts(primitive.constants, primitive.carries)
    body = primitive.body
    linear = tuple([isinstance(operand, Linear) for operand in operands])
    of_constants, _, of_xs = (tuple(flags) for flags in parts(linear))
    given = nonzero_flags(cotangents)
    if cells:
        loop = _transpose_scan(body, parts, of_constants, of_xs, given, cells)
    else:
        loop = derived(
            body,
            ("scan_transpose", parts, of_constants, of_xs, given),
            lambda: _transpose_scan(body, parts, of_constants, of_xs, given),
        )
    held, structure = tree_flatten([cell.load() for cell in cells])
    constants, carries, xs = parts(operands)
    known_constants = [x for x in constants if not isinstance(x, Linear)]
    lengths = sum(of_constants), parts.carries
    back_constants, _, back_xs = LoopParts(*lengths)(loop.nonzero)
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
        len(sums) + sum(loop.carried) + len(held),
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
            *[materialise(ct) for ct in those(ct_carries, loop.carried)],
            *map(strong, held),
            *[x for x in xs if not isinstance(x, Linear)],
            *those(ct_ys, given[parts.carries :]),
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
    store(cells, structure.unflatten([next(outputs) for _ in held]))
    flags = iter(back_xs)
    for x in xs:
        outgoing.append(_cotangent(x, outputs, next(flags)) if isinstance(x, Linear) else None)
    return outgoing


def _cotangent(operand: Linear, outputs: Any, returned: bool) -> Tangent:
    if returned:
        ct: Operand = next(outputs)
        return ct
    return Zero(operand.type.tangent())


def _transpose_beside_known(
    primitive: Scan,
    cotangents: Sequence[Tangent],
    operands: Sequence[Operand | Linear],
    linear: Flags,
) -> Sequence[Tangent | None]:
    """Transpose a loop that also carries known values, a counter for example.

    The loop is linear in the `Linear` operands, so it is its own derivative at zero. Linearizing it there
    runs the known carries and leaves a loop that carries nothing else than linear values: it is transposed as such,
    without asking again what depends on what, though a body may well return zeros for some of its carries.
    """
    parts = LoopParts(primitive.constants, primitive.carries)
    primals = [zeros(x.type) if isinstance(x, Linear) else x for x in operands]
    _, split, residuals = _run_known(primitive, primals, linear)
    nothing: list[Tangent | None] = [
        Zero(x.type.tangent()) if isinstance(x, Linear) else None for x in operands
    ]
    given = those(cotangents, split.nonzero)
    if all([isinstance(ct, Zero) for ct in given]):
        return nothing
    constants, carries, xs = parts(
        [x if isinstance(x, Linear) else zeros(type_of(x).tangent()) for x in operands]
    )
    of_constants, _, of_xs = parts(linear)
    of_linear = [
        *residuals.fixed,
        *those(constants, of_constants),
        *those(carries, split.carried),
        *residuals.moving,
        *those(xs, of_xs),
    ]
    scan = _linear_scan(primitive, split, linear)
    outgoing = iter(discharged(lambda cells: _transposed(scan, given, of_linear, cells)))
    found = iter([ct for ct, x in zip(outgoing, of_linear, strict=True) if isinstance(x, Linear)])
    return [next(found) if flag else None for flag in linear]


def _transpose_scan(
    body: Program,
    parts: LoopParts,
    of_constants: Flags,
    of_xs: Flags,
    given: Flags,
    cells: tuple[Cell, ...] = (),
) -> _Loop:
    # With cells, nothing is kept elsewhere, and loops within the body would be transposed again each time.
    known: dict[Flags, TransposedProgram] = {}

    def transposed(carried: Flags) -> TransposedProgram:
        if carried not in known:
            known[carried] = transpose_program(body, linear, (*carried, *of_ys), cells=cells)
        return known[carried]

    linear = (*of_constants, *(True for _ in range(parts.carries)), *of_xs)
    sums = sum(of_constants)
    of_ys = given[parts.carries :]
    back = LoopParts(sums, parts.carries)
    carried = reached_carries(
        lambda carried: back(transposed(carried).nonzero)[1], given[: parts.carries]
    )
    made = transposed(carried)
    nonzero = made.nonzero
    back_constants, back_carries, back_xs = back(nonzero)
    known_xs = of_xs.count(False)
    fixed = len(made.captured) + of_constants.count(False)
    # `made` takes what is captured, what cells hold, what else is fixed, the known xs, then cotangents; a scan wants
    # carries before xs.
    captured, (held, _) = len(made.captured), held_in(cells)
    types = [*made.program.parameter_types]
    del types[captured : captured + len(held)]
    first_x, first_ct = fixed, fixed + known_xs
    ct_carries = types[first_ct : first_ct + sum(carried)]
    ct_ys = types[first_ct + sum(carried) :]
    linear_constants = those(body.parameters[: parts.constants], of_constants)
    linear_carries = body.parameters[parts.constants :][: parts.carries]
    sum_types = [value.type.tangent() for value in those(linear_constants, back_constants)]

    def iteration(*operands: Operand) -> Operands:
        given = iter(operands)
        constants = [next(given) for _ in range(fixed)]
        so_far = [next(given) for _ in sum_types]
        incoming = [next(given) for _ in ct_carries]
        values = [next(given) for _ in held]
        elements = [next(given) for _ in range(known_xs)]
        first = [*constants[:captured], *values, *constants[captured:]]
        outputs = iter(interpret(made.program, *first, *elements, *incoming, *given))
        summed = [materialise(add(x, next(outputs))) for x in so_far]
        to_carries = [
            next(outputs) if flag else zeros(value.type.tangent())
            for value, flag in zip(linear_carries, back_carries, strict=True)
        ]
        to_xs = [next(outputs) for flag in back_xs if flag]
        return [*summed, *those(to_carries, carried), *outputs, *to_xs]

    given_types = (
        *types[:fixed],
        *sum_types,
        *ct_carries,
        *held,
        *types[first_x:first_ct],
        *ct_ys,
    )
    staged = stage(iteration, *unsharded(given_types))
    assert not staged.captured, "an iteration takes everything as operands"
    return _Loop(staged.program, made.captured, fixed, carried, nonzero)
