"""Digits that `jit` changes: the simplification that applied, the operation that is compiled otherwise, or fusion.

Loops and branches are compiled without `jit`, too, so what is in them has the same digits with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np

from treadle_insight.evaluation import Elements, Run, quiet
from treadle_insight.expressions import written_name
from treadle_insight.finding import Finding
from treadle_insight.kinds import Kind
from treadle_insight.place import Place
from treadle_insight.subject import Subject
from treadle_ir import (
    ArrayType,
    Atom,
    Equation,
    Operand,
    Operands,
    Program,
    UnsupportedError,
    Value,
    bind,
    interpret,
)
from treadle_ir.core.dtypes import is_floating, is_inexact, real_part
from treadle_ir.rewrite import enabled, optimise
from treadle_ir.settings import SIMPLIFY
from treadle_ir.tree import tree_leaves
from treadle_runtime import jit

_TOPIC: Final = "Why do digits change under `jit`?"

KINDS: Final = (
    Kind(
        "digits.simplified",
        "A result under `jit` differs from the same function without it, because a named simplification replaced "
        "operations.",
        topic=_TOPIC,
        wrong="""\
import treadle
import treadle.numpy as tnp

def same(x):
    return tnp.log(tnp.exp(x))

report = treadle.explain(same, values=True)(tnp.array([0.3, 100.0]))
""",
        right="""\
import treadle
import treadle.numpy as tnp

treadle.config.update("treadle_simplify", False)

def same(x):
    return tnp.log(tnp.exp(x))

report = treadle.explain(same, values=True)(tnp.array([0.3, 100.0]))
treadle.config.update("treadle_simplify", True)
""",
    ),
    Kind(
        "digits.operation",
        "A result under `jit` differs from the same function without it, because the compiler computes an operation "
        "by another algorithm, or in another order.",
        topic=_TOPIC,
        wrong="""\
import treadle
import treadle.numpy as tnp

def wave(x):
    return tnp.sin(x)

report = treadle.explain(wave, values=True)(tnp.linspace(-5.0, 5.0, 1001))
""",
        right="""\
import treadle
import treadle.numpy as tnp

def wave(x):
    return x - 1.0

report = treadle.explain(wave, values=True)(tnp.linspace(-5.0, 5.0, 1001))
""",
    ),
    Kind(
        "digits.fused",
        "A result under `jit` differs from the same function without it, though each operation by itself gives the "
        "same digits: the compiler joined operations and rounds once where they rounded twice.",
        topic=_TOPIC,
        wrong="""\
import treadle
import treadle.numpy as tnp
from treadle import random

def line(a, b, c):
    return a * b + c

a, b, c = random.normal(random.key(0), (3, 1000))
report = treadle.explain(line, values=True)(a, b, c)
""",
        right="""\
import treadle
import treadle.numpy as tnp
from treadle import random

def line(a, b, c):
    return a * b + c

a, b, c = random.normal(random.key(0), (3, 1000))
plain = treadle.jit(line, compiler_options={"xla_backend_optimization_level": 0})
report = treadle.explain(plain, values=True)(a, b, c)
""",
    ),
)

_MOST: Final = 3  # operations that are compiled one by one


def look(subject: Subject) -> Iterator[Finding]:
    """Yield findings on the digits that differ under `jit`.

    Args:
        subject: a program, run and compiled only if values are asked for.
    """
    if not subject.values or len(subject.operands) != len(subject.program.parameters):
        return
    program = quiet(subject.program)
    try:
        run = Run.of(program, subject.operands)
    except UnsupportedError:  # an effect
        return
    floats = [x for x in program.results if _is_inexact(x)]
    if not floats:
        return
    compiled = _whole(subject, program)
    differing = [
        (run.shown(atom), np.asarray(result))
        for atom, result in zip(program.results, compiled, strict=True)
        if _is_inexact(atom)
    ]
    if all(_same(eager, jitted) for eager, jitted in differing):
        return
    difference = _difference(differing)
    simplified = list(_simplified(subject, program, run, difference))
    if simplified:
        yield from simplified
        return
    yield _of_compiler(subject, program, run, difference)


@final
@dataclass(frozen=True)
class Difference:
    """How results differ.

    Attributes:
        eager: the element that differs most, without jit.
        jitted: the same element, with jit.
        ulp: the greatest distance in units in the last place; infinite if one of them is not finite.
        share: the share of elements that differ.
        is_mended: whether there are elements that are finite only with jit, and none that are finite only without.
    """

    eager: str
    jitted: str
    ulp: float
    share: float
    is_mended: bool

    def __str__(self) -> str:
        steps = f"at most {self.ulp:.0f} ulp, " if np.isfinite(self.ulp) else ""
        return f"{self.eager} without jit, {self.jitted} with it ({steps}{self.share:.0%} of the elements differ)"


def _is_inexact(atom: Atom) -> bool:
    return isinstance(atom.type, ArrayType) and is_inexact(atom.type.dtype)


def _compiled(program: Program, operands: Sequence[Operand]) -> Operands:
    """Return the results of a program under jit."""

    def function(*given: Operand) -> list[Operand]:
        return list(interpret(program, *given))

    found: list[Operand] = jit(function)(*operands)
    return found


def _whole(subject: Subject, program: Program) -> Operands:
    """Return the results of a subject under jit, with the options of the user's `jit` if that has no side effects."""
    traced = subject.traced
    if traced is None or traced.donate_argnums or program is not subject.program:
        return _compiled(program, subject.operands)
    found = traced.lower().compile()(*subject.args, **subject.kwargs)
    return tree_leaves(found)


def _same(left: Elements, right: Elements) -> bool:
    """Return whether two arrays have the same numbers."""
    return bool(np.array_equal(left, right, equal_nan=True))


def _difference(pairs: Sequence[tuple[Elements, Elements]]) -> Difference:
    """Return how arrays differ."""
    ulp, unequal, total, shown = 0.0, 0, 0, ("", "")
    gained = lost = 0  # finite elements
    for eager, jitted in pairs:
        total += eager.size
        apart = (eager != jitted) & ~(np.isnan(eager) & np.isnan(jitted))
        if not np.any(apart):
            continue
        left, right = eager[apart], jitted[apart]
        unequal += left.size
        is_finite = np.isfinite(left), np.isfinite(right)
        gained += int(np.sum(is_finite[1] & ~is_finite[0]))
        lost += int(np.sum(is_finite[0] & ~is_finite[1]))
        distances = _distances(left, right)
        most = int(np.argmax(distances))
        if distances[most] > ulp:
            ulp, shown = float(distances[most]), (str(left[most]), str(right[most]))
    return Difference(*shown, ulp, unequal / max(total, 1), gained > 0 and not lost)


def _distances(eager: Elements, jitted: Elements) -> Elements:
    """Return the distance of each two elements in units in the last place; infinite unless both are finite."""
    found = np.full(eager.shape, np.inf)
    finite = np.isfinite(eager) & np.isfinite(jitted)
    found[finite] = _finite_distances(eager[finite], jitted[finite])
    return found


def _finite_distances(eager: Elements, jitted: Elements) -> Elements:
    """Return the distance of each two finite elements in units in the last place of the greater."""
    parts = [(eager, jitted)]
    if not is_floating(eager.dtype):
        parts = [(eager.real, jitted.real), (eager.imag, jitted.imag)]
    found = np.zeros(eager.shape)
    dtype = real_part(eager.dtype)
    info = np.finfo(dtype) if dtype.kind == "f" else None
    for x, y in parts:
        greater = np.maximum(np.abs(x), np.abs(y)).astype(np.float64)
        mantissa = info.nmant if info else 7  # bfloat16
        smallest = float(info.smallest_subnormal) if info else 2.0**-133
        unit = np.maximum(
            2.0 ** (np.floor(np.log2(np.maximum(greater, 1e-323))) - mantissa), smallest
        )
        found = np.maximum(found, np.abs(x.astype(np.float64) - y.astype(np.float64)) / unit)
    return found


def _simplified(
    subject: Subject, program: Program, run: Run, difference: Difference
) -> Iterator[Finding]:
    """Yield a finding for each place where a named simplification changed the digits."""
    captured = len(subject.captured)
    for name in sorted(enabled()):
        applied: list[tuple[Equation, ...]] = []

        def hear(
            rule: str,
            equation: Equation,
            operands: Sequence[Equation],
            name: str = name,
            applied: list[tuple[Equation, ...]] = applied,
        ) -> None:
            if rule == name:
                applied.append((*operands, equation))

        simpler = optimise(
            program, names=[name], captured=captured, keeps_rounding=False, applied=hear
        )
        if not applied:
            continue
        results = Run.of(simpler, subject.operands)
        if all(
            _same(run.shown(before), results.shown(after))
            for before, after in zip(program.results, simpler.results, strict=True)
            if _is_inexact(before)
        ):
            continue
        for equations in applied[:_MOST]:
            places = [Place.of(equation.source) for equation in reversed(equations)]
            names = " and ".join(
                [
                    f"the `{_name(equation)}` at {Place.of(equation.source)}"
                    for equation in equations
                ]
            )
            yield Finding(
                "digits.simplified",
                f"The simplification `{name}` removed {names}: {difference}.",
                tuple(places),
                ("It is applied under jit only.",),
                _MENDED if difference.is_mended else _TURN_OFF,
                _without(name),
            )


_TURN_OFF: Final = "Turn it off before the first call, if the rounding is meant."
_MENDED: Final = (
    "Nothing needs to be done: with jit the result is finite where it is not without, which is more accurate. To turn "
    "the simplification off all the same, do it before the first call."
)


def _without(name: str) -> str:
    """Return the setting without one simplification."""
    others = ",".join(sorted(enabled() - {name}))
    if not others:
        return 'treadle.config.update("treadle_simplify", False)'
    return f'treadle.config.update("treadle_simplify", "{others}")  # those that stay on'


def _name(equation: Equation) -> str:
    """Return how a finding calls an operation."""
    name = equation.source.derivative_of or equation.primitive.name
    return written_name(Place.of(equation.source)) or name


def _of_compiler(subject: Subject, program: Program, run: Run, difference: Difference) -> Finding:
    """Return the finding on the first operation that is compiled otherwise, or on fusion."""
    kept = [
        (equation, result)
        for equation in program.equations
        for result in equation.results
        if _is_inexact(result)
    ]
    wide = Program(program.parameters, program.equations, tuple([result for _, result in kept]))
    with SIMPLIFY.override(False):
        found = _compiled(wide, subject.operands)
    jitted = {result: np.asarray(x) for (_, result), x in zip(kept, found, strict=True)}
    alone = 0
    suspects: list[Equation] = []
    for equation, result in kept:
        if _same(run.shown(result), jitted[result]):
            continue
        if any(
            isinstance(x, Value) and x in jitted and not _same(run.shown(x), jitted[x])
            for x in equation.operands
        ):
            continue
        suspects.append(equation)
        if alone >= _MOST:
            continue
        alone += 1
        pairs = _alone(run, equation)
        if not all(_same(eager, other) for eager, other in pairs):
            return _of_operation(subject, equation, pairs, difference)
    return _of_fusion(subject, program, suspects, difference)


def _alone(run: Run, equation: Equation) -> list[tuple[Elements, Elements]]:
    """Return the results of an operation without jit, and compiled by itself."""
    operands = [run.operand(atom) for atom in equation.operands]
    places = [i for i, atom in enumerate(equation.operands) if isinstance(atom, Value)]

    def function(*given: Operand) -> list[Operand]:
        filled = [*operands]
        for place, value in zip(places, given, strict=True):
            filled[place] = value
        return list(bind(equation.primitive, *filled))

    found: list[Operand] = jit(function)(*[operands[place] for place in places])
    return [
        (run.shown(result), np.asarray(x))
        for result, x in zip(equation.results, found, strict=True)
        if _is_inexact(result)
    ]


def _of_operation(
    subject: Subject,
    equation: Equation,
    pairs: Sequence[tuple[Elements, Elements]],
    whole: Difference,
) -> Finding:
    """Return the finding on an operation that is compiled otherwise."""
    place = Place.of(equation.source)
    return Finding(
        "digits.operation",
        f"The compiler computes `{_name(equation)}` at {place} otherwise: {_difference(pairs)}.",
        (place,),
        (
            f"It is the first operation of {subject.name} that differs; the results differ: {whole}.",
        ),
        "Compare with a tolerance, or call the function without jit where the digits have to be the same.",
    )


def _of_fusion(
    subject: Subject, program: Program, suspects: Sequence[Equation], difference: Difference
) -> Finding:
    """Return the finding on operations that the compiler joined."""
    last = suspects[0] if suspects else _last(program)
    places = () if last is None else (Place.of(last.source),)
    return Finding(
        "digits.fused",
        f"Each operation of {subject.name} alone gives the same digits, and the compiler joined them: {difference}.",
        places,
        ("A multiplication and an addition become one operation, which rounds once.",),
        "Compare with a tolerance, or compile without fusion.",
        'jit(f, compiler_options={"xla_backend_optimization_level": 0})',
    )


def _last(program: Program) -> Equation | None:
    """Return the operation that makes the first result; None if there is none."""
    makers = {value: each for each in program.equations for value in each.results}
    for result in program.results:
        if isinstance(result, Value) and result in makers:
            return makers[result]
    return None
