"""Checked programs: a program that returns, after its own results, its log.

Control flow is followed into its nested programs, whose logs become results and carries. A nested program in which
nothing is checked stays as it is. Each is kept by the program that it was made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias, final

from treadle.experimental.checkify.automatic import check_after, check_before
from treadle.experimental.checkify.conditions import Check, first_that_failed
from treadle.experimental.checkify.log import Log, all_of, earlier, nothing, types_of_log
from treadle.experimental.checkify.sites import Categories, Site
from treadle_ir import (
    Atom,
    Literal,
    Operand,
    Operands,
    Primitive,
    Program,
    Value,
    bind,
    ops,
    stage,
    type_of,
    types_of,
)
from treadle_ir.core import InlineCall, ScanOperands, WhileOperands, unsharded
from treadle_ir.primitives.call import (
    CustomJvpCall,
    CustomJvpStaged,
    CustomVjpCall,
    CustomVjpRule,
    CustomVjpStaged,
    FlatBackward,
    Given,
)
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.primitives.shard_map import ShardMap
from treadle_ir.process import frozen
from treadle_ir.tracing import (
    Function,
    derived,
    interpret_unchecked as interpret,
    share_captures,
    stage_tree,
)


@final
@frozen(eq=False)
class CheckedProgram:
    """A program with a log behind its results. `captured` operands (there are none, as a rule) go first."""

    program: Program
    captured: tuple[Operand, ...]
    sites: tuple[Site, ...]

    def run(self, *operands: Operand) -> tuple[Operands, Operands]:
        """Return the results, and the log."""
        outputs = interpret(self.program, *self.captured, *operands)
        count = len(outputs) - len(types_of_log(self.sites))
        return outputs[:count], outputs[count:]


def checked_program(program: Program, categories: Categories) -> CheckedProgram:
    """Return a program that checks these categories of errors."""

    def make() -> CheckedProgram:
        def function(*operands: Operand) -> tuple[Operands, tuple[Site, ...]]:
            log = Log(categories)
            results = _run(program, operands, log)
            return [*results, *log.results], log.sites

        staged, sites = stage_tree(function, *unsharded(program.parameter_types))
        return CheckedProgram(staged.program, staged.captured, sites)

    return derived(program, ("checkify", categories), make)


def _run(program: Program, operands: Operands, log: Log) -> list[Operand]:
    """Return the results of a program, with everything checked on the way."""
    environment: dict[Value, Operand] = dict(zip(program.parameters, operands, strict=True))

    def read(atom: Atom) -> Operand:
        if isinstance(atom, Literal):
            return atom if atom.type.weak else atom.value
        return environment[atom]

    for equation in program.equations:
        primitive = equation.primitive
        inputs = [read(atom) for atom in equation.operands]
        rule = _rule(primitive)
        if rule is not None:
            results = rule(primitive, inputs, log)
        else:
            check_before(primitive, inputs, equation.source, log)
            results = bind(primitive, *inputs)
            check_after(primitive, results, equation.source, log)
        environment.update(zip(equation.results, results, strict=True))
    return [read(atom) for atom in program.results]


Rule: TypeAlias = Callable[[Any, Operands, Log], Operands]  # Any: the primitive that it is for


def _rule(primitive: Primitive) -> Rule | None:
    found = _RULES.get(type(primitive))
    return _call if found is None and isinstance(primitive, InlineCall) else found


def _check(primitive: Check, operands: Operands, log: Log) -> Operands:
    """Return the user's own check."""
    if primitive.site.category in log.categories:
        log.check(primitive.site, operands[0], operands[1:])
    return []


def _call(primitive: InlineCall, operands: Operands, log: Log) -> Operands:
    """Return a call of the checked program."""
    made = checked_program(primitive.program, log.categories)
    if not made.sites:
        return _unchecked(primitive, made, operands)
    sources = (*(None for _ in made.captured), *range(len(operands)))
    call = primitive.rebuilt(made.program, sources)
    outputs = bind(call, *made.captured, *operands)
    return _noted(outputs, len(primitive.program.results), made.sites, log)


def _unchecked(primitive: InlineCall, made: CheckedProgram, operands: Operands) -> Operands:
    """Apply the call unchanged, without disabled checks."""
    if not primitive.program.effects:
        return bind(primitive, *operands)
    results, _ = made.run(*operands)
    return results


def _noted(outputs: Operands, count: int, sites: Sequence[Site], log: Log) -> Operands:
    """Return the results of an operation whose log stands behind them."""
    log.merge(sites, outputs[count], outputs[count + 1 :])
    return outputs[:count]


def _case(primitive: Case, operands: Operands, log: Log) -> Operands:
    """Let all branches return one log: the log of the branch that runs, joined with the empty logs of the others."""
    index, *rest = operands
    branches = [checked_program(branch, log.categories) for branch in primitive.branches]
    sites = all_of(*[branch.sites for branch in branches])

    def with_all_sites(number: int) -> Function:
        def function(*xs: Operand) -> Operands:
            everything = Log(log.categories)
            results: Operands = ()
            for place, branch in enumerate(branches):
                if place == number:
                    results, found = branch.run(*xs)
                    everything.merge(branch.sites, found[0], found[1:])
                else:
                    everything.skip(branch.sites)
            return [*results, *everything.results]

        return function

    types = unsharded(primitive.branches[0].parameter_types)
    staged = [stage(with_all_sites(number), *types) for number in range(len(branches))]
    programs, captured = share_captures(
        [each.program for each in staged], [each.captured for each in staged]
    )
    outputs = bind(Case(tuple(programs)), index, *captured, *rest)
    return _noted(outputs, len(primitive.branches[0].results), sites, log)


def _scan(primitive: Scan, operands: Operands, log: Log) -> Operands:
    """Carry the log from iteration to iteration."""
    made = checked_program(primitive.body, log.categories)
    if not made.sites and not primitive.body.effects:
        return bind(primitive, *operands)
    kept = types_of_log(made.sites)

    def body(*parameters: Operand) -> Operands:
        consts, rest = parameters[: primitive.constants], parameters[primitive.constants :]
        old, carry_and_xs = rest[: len(kept)], rest[len(kept) :]
        results, found = made.run(*consts, *carry_and_xs)
        return [*earlier(old, found), *results]

    types = primitive.operand_groups(unsharded(primitive.body.parameter_types))
    staged = stage(body, *types.consts, *kept, *types.carry, *types.xs)
    consts, carry, xs = primitive.operand_groups(operands)
    given = ScanOperands([*staged.captured, *consts], [*nothing(made.sites), *carry], xs)
    outputs = bind(primitive.with_body(staged.program, given), *given.flat())
    log.merge(made.sites, outputs[0], outputs[1 : len(kept)])
    return outputs[len(kept) :]


def _shard_map(primitive: ShardMap, operands: Operands, log: Log) -> Operands:
    """Give each device a log; the first log that is not empty becomes the result's."""
    body, count = primitive.body, len(primitive.body.results)
    with primitive.inside():
        made = checked_program(body, log.categories)
        if not made.sites and not body.effects:
            return bind(primitive, *operands)

        def function(*xs: Operand) -> Operands:
            results, found = made.run(*xs)
            return [*results, *(ops.reshape(x, shape=(1, *type_of(x).shape)) for x in found)]

        staged = stage(function, *unsharded(body.parameter_types))
    whole = [((),) * type_of(x).ndim for x in staged.captured]
    by_device = [(primitive.manual_axes, *((),) * type.ndim) for type in types_of_log(made.sites)]
    mapped = replace(
        primitive,
        body=staged.program,
        in_layouts=(*whole, *primitive.in_layouts),
        out_layouts=(*primitive.out_layouts, *by_device),
    )
    outputs = bind(mapped, *staged.captured, *operands)
    everywhere = [
        ops.sharding_constraint(
            x,
            mesh=primitive.mesh,
            layout=((),) * type_of(x).ndim,
            device_ids=primitive.device_ids,
        )
        for x in outputs[count:]
    ]
    number, *payloads = first_that_failed(everywhere)
    log.merge(made.sites, number, payloads)
    return outputs[:count]


def _while(primitive: While, operands: Operands, log: Log) -> Operands:
    """The log is carried; the condition is checked before the first iteration and after each."""
    holds = checked_program(primitive.cond, log.categories)
    step = checked_program(primitive.body, log.categories)
    sites = all_of(holds.sites, step.sites)
    if not sites and not primitive.body.effects and not primitive.cond.effects:
        return bind(primitive, *operands)
    kept = types_of_log(sites)

    def asked(*xs: Operand) -> tuple[Operands, Operands]:
        """Return the condition, and its log among all sites."""
        results, found = holds.run(*xs)
        question = Log(log.categories)
        question.merge(holds.sites, found[0], found[1:])
        question.skip(step.sites)
        return results, question.results

    def cond(*xs: Operand) -> Operands:
        consts, log_and_carry = xs[: primitive.cond_constants], xs[primitive.cond_constants :]
        return asked(*consts, *log_and_carry[len(kept) :])[0]

    def body(*xs: Operand) -> Operands:
        for_cond, for_body, log_and_carry = primitive.operand_groups(xs)
        old, carries = log_and_carry[: len(kept)], log_and_carry[len(kept) :]
        moved, found = step.run(*for_body, *carries)
        iteration = Log(log.categories)
        iteration.skip(holds.sites)
        iteration.merge(step.sites, found[0], found[1:])
        now = earlier(old, iteration.results)
        return [*earlier(now, asked(*for_cond, *moved)[1]), *moved]

    cond_types = unsharded(primitive.cond.parameter_types)[: primitive.cond_constants]
    _, body_types, carry_types = primitive.body_groups(unsharded(primitive.body.parameter_types))
    condition = stage(cond, *cond_types, *kept, *carry_types)
    staged = stage(body, *cond_types, *body_types, *kept, *carry_types)
    cond_consts, body_consts, carry = primitive.operand_groups(operands)
    given: WhileOperands[Operand] = WhileOperands(
        [*condition.captured, *cond_consts],
        [*staged.captured, *cond_consts, *body_consts],
        [*asked(*cond_consts, *carry)[1], *carry],
    )
    loop = primitive.with_programs(condition.program, staged.program, given)
    outputs = bind(loop, *given.flat())
    log.merge(sites, outputs[0], outputs[1 : len(kept)])
    return outputs[len(kept) :]


def _quietly(function: Function, log: Log) -> Function:
    """Return a derivative rule that drops what it checks: the function itself has been checked."""

    def quiet(*operands: Operand) -> Operands:
        staged = stage(function, *unsharded(types_of(operands)))
        return checked_program(staged.program, log.categories).run(*staged.captured, *operands)[0]

    return quiet


def _known(given: Given) -> list[Operand]:
    """Return the operands that are not known to be zero."""
    return [x for x in given if x is not None]


def _refilled(given: Given, known: Iterable[Operand]) -> list[Operand | None]:
    """Other operands in the places of those that are not known to be zero."""
    following = iter(known)
    return [None if x is None else next(following) for x in given]


def _custom_jvp(primitive: CustomJvpStaged, operands: Operands, log: Log) -> Operands:
    """The function is checked; its derivative rule stays, and gives the log no tangents."""
    made = checked_program(primitive.program, log.categories)
    if not made.sites:
        return bind(primitive, *operands)
    count, captured = len(primitive.program.results), primitive.derivative.captured
    constants = operands[:captured]

    def function(*xs: Operand) -> Operands:
        results, found = made.run(*constants, *xs)
        return [*results, *found]

    def jvp(primals: Operands, tangents: Given) -> tuple[Operands, Given]:
        changes: list[Given] = []

        def rule(*xs: Operand) -> Operands:
            results, found = primitive.derivative(xs[:first], _refilled(tangents, xs[first:]))
            changes.append(found)
            return [*results, *_known(found)]

        first = len(operands)
        outputs = _quietly(rule, log)(*constants, *primals, *_known(tangents))
        found = function(*primals)[count:]
        none = [None] * len(found)
        return [*outputs[:count], *found], [*_refilled(changes[-1], outputs[count:]), *none]

    call = CustomJvpCall(primitive.label, function, jvp, primitive.derivative.pure)
    return _noted(bind(call, *operands[captured:]), count, made.sites, log)


def _custom_vjp(primitive: CustomVjpStaged, operands: Operands, log: Log) -> Operands:
    """The function is checked; its derivative rule stays, and hears nothing of the log."""
    made = checked_program(primitive.program, log.categories)
    if not made.sites:
        return bind(primitive, *operands)
    count, captured = len(primitive.program.results), primitive.rule.captured
    constants = operands[:captured]

    def function(*xs: Operand) -> Operands:
        results, found = made.run(*constants, *xs)
        return [*results, *found]

    def forward(
        xs: Operands, perturbed: tuple[bool, ...]
    ) -> tuple[Operands, Operands, FlatBackward]:
        backwards: list[FlatBackward] = []

        def rule(*xs: Operand) -> Operands:
            results, residuals, backward = primitive.rule.forward(xs, perturbed)
            backwards.append(backward)
            return [*results, *residuals]

        outputs = _quietly(rule, log)(*xs)

        def of_results(residuals: Operands, cotangents: Given) -> Given:
            pulled: list[Given] = []

            def pull(*ys: Operand) -> Operands:
                kept, rest = ys[: len(residuals)], ys[len(residuals) :]
                pulled.append(backwards[-1](kept, _refilled(cotangents[:count], rest)))
                return _known(pulled[-1])

            found = _quietly(pull, log)(*residuals, *_known(cotangents[:count]))
            return _refilled(pulled[-1], found)

        return [*outputs[:count], *function(*xs)[count:]], outputs[count:], of_results

    call = CustomVjpCall(
        primitive.label, function, CustomVjpRule(forward, pure=primitive.rule.pure)
    )
    return _noted(bind(call, *operands[captured:]), count, made.sites, log)


_RULES: Final[dict[type[Primitive], Rule]] = {
    Check: _check,
    Case: _case,
    Scan: _scan,
    ShardMap: _shard_map,
    While: _while,
    CustomJvpStaged: _custom_jvp,
    CustomVjpStaged: _custom_vjp,
}
