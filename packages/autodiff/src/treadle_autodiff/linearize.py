"""Linearize: run the known part of a derivative now, write down the linear part for later.

One trace with two children. What touches no tangent goes to the parent and is computed at once (or staged,
when the parent stages); what touches a tangent goes to the tape, a staging trace. What the tape captures are
the residuals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, TypeAlias, TypeVar, final

from treadle_autodiff.dependence import independent_results, is_structured
from treadle_autodiff.dual import DualTrace, DualTracer, entering
from treadle_autodiff.effect_partition import partition_effects
from treadle_autodiff.registry import jvp_rules, linearize_rules
from treadle_autodiff.tangents import Tangent, Zero, materialise
from treadle_autodiff.user_function import released
from treadle_ir import (
    FunctionCall,
    Operand,
    Operands,
    Primitive,
    Program,
    UnsupportedError,
    type_of,
)
from treadle_ir.core import InlineCall, inferred
from treadle_ir.errors import boundary, source
from treadle_ir.process import deeper, frozen
from treadle_ir.sharding import shardings_here
from treadle_ir.tracing import (
    Function,
    StagedTracer,
    StagingTrace,
    Trace,
    checks_leaks,
    current_trace,
    interpret_unchecked as interpret,
    over_mesh_of,
    refuse_leaks,
    reset_current,
    run_under,
    running,
    set_current,
    staging_trace,
    with_sharding,
)

Out = TypeVar("Out")
Pushforward: TypeAlias = Callable[[Sequence[Tangent]], Sequence[Tangent]]


@boundary
@final
class LinearizeTracer(DualTracer):
    """A primal, computed now, and a tangent on the tape."""

    __slots__ = ()
    made_by: ClassVar[str] = "differentiated, as under grad or vjp"


@final
class SplitTrace(Trace):
    """Where jvp rules run under linearize: operations on tangents go to the tape, all others to the parent.

    A call, loop or branch goes to both, if results of it depend on no tangent: a rule may be compiled as a whole. A
    call with effects is inlined, so that each of its operations goes where it belongs; a loop or a branch with
    effects goes to both, with part of these effects each.

    All equations of a rule, except of the operation itself, have a location that says that they are its derivative.
    """

    __slots__ = ("outer", "primal", "program", "tape", "whole")

    def __init__(self, parent: Trace, tape: StagingTrace) -> None:
        super().__init__(parent)
        self.tape = tape
        self.program = staging_trace(parent)  # where the parent stages; None if it evaluates
        self.primal: Primitive | None = (
            None  # the operation whose rule runs, until it has been applied
        )
        self.outer: source.Source | None = None  # the derivative of which the operation is a part
        self.whole: Primitive | None = None  # what went to the tape with effects, for messages

    def accepts_tracers_of(self, other: Trace) -> bool:
        """Return whether `other` is this trace or its tape."""
        return other is self or other is self.tape

    def process(self, primitive: Primitive, operands: Operands) -> Operands:
        """To the tape, or to the parent."""
        tape = self.tape
        if any([type(x) is StagedTracer and x.owner is tape for x in operands]):
            if isinstance(primitive, FunctionCall):
                # A rule's own call of a function with a custom derivative: this is the derivative already.
                return primitive.call(operands)
            if isinstance(primitive, InlineCall) and primitive.program.effects:
                # Each effect happens once: now, or where the tangents are known that it needs.
                with running(self), deeper():
                    return interpret(primitive.program, *operands)
            if is_structured(primitive):
                return self._split(primitive, operands)
            return tape.process(primitive, operands)
        assert self.parent is not None
        if primitive is self.primal:
            self.primal = None
            return self._undifferentiated(primitive, operands)
        token = set_current(self.parent)
        try:
            return self.parent.process(primitive, operands)
        finally:
            reset_current(token)

    def _undifferentiated(self, primitive: Primitive, operands: Operands) -> Operands:
        """Apply the operation whose rule runs: its own equation is not marked as a derivative."""
        program = self.program
        assert self.parent is not None
        assert program is not None
        derivative, program.derivative = program.derivative, self.outer
        token = set_current(self.parent)
        try:
            return self.parent.process(primitive, operands)
        finally:
            reset_current(token)
            program.derivative = derivative

    def _split(self, primitive: Primitive, operands: Operands) -> Operands:
        tape = self.tape
        known = [None if type(x) is StagedTracer and x.owner is tape else x for x in operands]
        types = [type_of(x) for x in operands]
        parts = partition_effects(primitive, [x is None for x in known])
        if parts is None and inferred(primitive, tuple(types))[1]:
            self.whole = primitive
        now, later = parts or (primitive, primitive)
        assert self.parent is not None
        with running(self.parent):
            found = independent_results(now, known, types, effects_too=parts is not None)
        results = tape.process(later, operands)
        return [found.get(i, result) for i, result in enumerate(results)] if found else results


@final
class LinearizeTrace(DualTrace):
    """Computes results now and writes the linear map from tangents to result tangents on a tape."""

    __slots__ = ("_split", "tape")
    tracer: ClassVar[type[DualTracer]] = LinearizeTracer
    shown: ClassVar[str] = "jvp()"

    def __init__(self, parent: Trace) -> None:
        super().__init__(parent)
        self.tape = StagingTrace(parent)
        self.tape.explicit = (
            False  # shardings of cotangents follow from the primals: see `pullback`
        )
        self._split = SplitTrace(parent, self.tape)

    def differentiate(
        self, primitive: Primitive, primals: Operands, tangents: Sequence[Tangent]
    ) -> tuple[Operands, Sequence[Tangent]]:
        """By the primitive's linearize rule, or by its jvp rule split in known and linear."""
        rule = linearize_rules.get(type(primitive))
        if rule is None:
            return self._by_jvp(primitive, primals, tangents)
        assert self.parent is not None
        with running(self.parent):
            results, linear = rule(primitive, primals, [not isinstance(t, Zero) for t in tangents])
        place = source.place.get()
        names = ("", "") if place is None else (place.scope, place.path)
        here = source.Place(names[0], source.derivative_source(primitive.name), path=names[1])
        with running(self.tape), source.placed(here):
            return results, linear(tangents)

    def _by_jvp(
        self, primitive: Primitive, primals: Operands, tangents: Sequence[Tangent]
    ) -> tuple[Operands, Sequence[Tangent]]:
        """Split a jvp rule: right for primitives whose jvp is made of known and linear operations."""
        if primitive.programs():
            raise linearize_rules.missing(type(primitive))
        tangents = self._sharded(primals, tangents)
        split, tape = self._split, self.tape
        program = split.program
        outer = None
        if program is not None:
            outer = program.derivative
            if not primitive.is_function:  # a user's rule has lines of its own
                mark = outer or source.derivative_source(primitive.name, 2)
                tape.derivative = program.derivative = mark
                if outer is None and program is split.parent:
                    program.primal = primitive
                else:
                    split.outer, split.primal = outer, primitive
        token = set_current(split)
        try:
            results, result_tangents = jvp_rules[primitive](primitive, primals, tangents)
        finally:
            reset_current(token)
            if program is not None:
                tape.derivative = program.primal = None
                program.derivative = outer
        if any([type(x) is StagedTracer and x.owner is tape for x in results]):
            whole = self._split.whole
            if whole is not None:
                raise UnsupportedError(
                    f"{primitive.name}: its jvp rule uses the result of an effect, as a callback has, within a "
                    f"`{whole.name}`, which reverse mode cannot partition",
                    fix="call it before the loop or branch; or use `pure_callback`, which may be called more than once",
                )
            raise UnsupportedError(
                f"{primitive.name}: by its jvp rule a result depends on a tangent, which reverse mode has not got",
                fix="use `jvp` or `jacfwd`",
            )
        return results, result_tangents

    def _sharded(self, primals: Operands, tangents: Sequence[Tangent]) -> Sequence[Tangent]:
        """The tangents with the shardings of the primals over explicit axes: a user's rule may ask.

        The tape itself has none.
        """
        shardings = shardings_here(primals)
        if shardings is None:
            return tangents
        return [
            with_sharding(tangent, sharding)
            if type(tangent) is StagedTracer and tangent.owner is self.tape
            else tangent
            for tangent, sharding in zip(tangents, shardings, strict=True)
        ]


@final
@frozen(eq=False)
class Linearized:
    """A function's results at a point, and its derivative there as a linear program.

    The program's parameters are the captured residuals, then one tangent per nonzero operand; its results
    are the tangents of those results that are not known to be zero.
    """

    results: Operands
    program: Program
    captured: tuple[Operand, ...]
    # per result: its zero tangent, or None where the program has a result
    zero: tuple[Zero | None, ...]

    def tangents(self, *tangents: Operand) -> list[Tangent]:
        """Push tangents of the nonzero operands forward."""
        outputs = iter(interpret(self.program, *self.captured, *tangents))
        return [next(outputs) if zero is None else zero for zero in self.zero]


def linearize_flat(function: Function, primals: Operands, nonzero: Sequence[bool]) -> Linearized:
    """Linearize a function of flat operands with respect to the operands that are `nonzero`."""
    return linearize_tree(lambda *operands: (function(*operands), None), primals, nonzero)[0]


def linearize_leading(
    program: Program, leading: Operands, others: Operands, nonzero: Sequence[bool]
) -> Pushforward | None:
    """Return the derivative of a program by its leading operands, or None if none of them has a tangent.

    Args:
        program: the program.
        leading: its first operands; the derivative maps their tangents to the tangents of the results.
        others: the rest of its operands, which are constants.
        nonzero: which of the leading operands have a tangent; the derivative ignores the tangents of the others.
    """
    if not any(nonzero):
        return None
    linearized = linearize_flat(lambda *xs: interpret(program, *xs, *others), leading, nonzero)

    def pushed(tangents: Sequence[Tangent]) -> Sequence[Tangent]:
        pairs = zip(tangents, nonzero, strict=True)
        return linearized.tangents(*[materialise(tangent) for tangent, flag in pairs if flag])

    return pushed


def linearize_tree(
    function: Callable[..., tuple[Operands, Out]],
    primals: Operands,
    nonzero: Sequence[bool],
    given: Sequence[object] = (),
) -> tuple[Linearized, Out]:
    """Apply `linearize_flat` to a function with auxiliary output, which is the second result.

    `given` are the user's values, where the primals are arrays made from them.
    """
    trace = LinearizeTrace(current_trace())
    tape = trace.tape
    tracers = []
    for primal, wanted, user in zip(primals, nonzero, given or primals, strict=True):
        type = type_of(primal).tangent().unsharded
        tangent: Tangent = tape.parameter(type) if wanted else Zero(type)
        tracers.append(LinearizeTracer(trace, primal, tangent, user))
    arguments = entering(tracers) if given else tracers
    try:
        with over_mesh_of(primals):
            outputs, out = run_under(trace, function, *arguments)
        results: list[Operand] = []
        zero: list[Zero | None] = []
        linear: list[Operand] = []
        for output in outputs:
            if isinstance(output, LinearizeTracer) and output.owner is trace:
                results.append(output.primal)
                tangent = output.tangent
            else:
                results.append(output)
                tangent = Zero(type_of(output).tangent())
            if isinstance(tangent, Zero):
                zero.append(tangent)
            else:
                zero.append(None)
                linear.append(tangent)
        program = tape.program(linear)
    finally:
        trace.closed = True
        tape.closed = True
        trace.casts.clear()
    if checks_leaks():
        del tracers, arguments, outputs
        output = None  # type: ignore[assignment]  # release it
        out = released(out)  # auxiliary results may be tracers
        refuse_leaks(trace)
    return Linearized(results, program, tuple(tape.captured), tuple(zero)), out
