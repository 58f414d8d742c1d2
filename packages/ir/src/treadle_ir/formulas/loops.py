"""Loops of formulas, also of numbers that carry derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias, final

from treadle_ir.formulas.arithmetic import Condition, Engine, Number, Plain, floor, where
from treadle_ir.formulas.dual import Dual
from treadle_ir.tracing.array import Operand

Step: TypeAlias = Callable[[Number, Sequence[Number]], list[Number]]
Unfinished: TypeAlias = Callable[[Sequence[Number]], Condition]
_BLOCK: Final = 8  # steps of a descent


def loop(
    operands: Sequence[Number],
    state: Sequence[Number],
    step: Step,
    unfinished: Unfinished,
    most: int,
) -> list[Number]:
    """Repeat a step on the elements that are unfinished, `most` times at most.

    The step gets the number of the iteration, from 1, and the state, each of which has the full shape, and may use the
    operands. A finished element does not change: its result does not depend on its neighbours.
    """
    engine = state[0].engine
    form = _Form(*operands, *state)

    def joined(values: Sequence[Operand]) -> list[Number]:
        parts = iter([Plain(engine, value) for value in values])
        return [_rebuilt(form.levels, parts) for _ in state]

    def split(numbers: Sequence[Number]) -> list[Operand]:
        return [value for number in numbers for value in form.split(number)]

    def advanced(k: Operand, values: Sequence[Operand]) -> list[Operand]:
        before = joined(values)
        active = unfinished(before)
        after = step(Plain(engine, k), before)
        return split([where(active, x, y) for x, y in zip(after, before, strict=True)])

    def goes_on(values: Sequence[Operand]) -> Operand:
        return unfinished(joined(values)).value

    return joined(engine.loop(split(state), advanced, goes_on, most))


def enough(steps: Number, level: int) -> Number:
    """As many steps as give derivatives, too, of those that give a value to 2^-36."""
    return steps * (1.0 + 0.3 * level) + 4.0 * level


def descent(
    operands: Sequence[Number],
    counts: Number,
    last: Callable[[Number], Number],
    step: Callable[[Number, Number, Number], tuple[Number, Number]],
) -> Number:
    """Return a recurrence of quotients from an element's own last step down to the first.

    `last` gives the quotient that the first step taken finds, from that step's number. A step gets its number and a
    quotient, as numerator and denominator, and returns the next one, so that a division is for several steps. Each
    element makes as many steps as it counts, and up to seven more.

    XLA on the CPU gives each array of a loop's state a pass over memory of its own. Here there is one, while a
    continued fraction from its beginning needs four, and a sum two.
    """
    engine = counts.engine
    form = _Form(*operands)
    counted = where(counts.plain > 0.0, counts.plain, 0.0)  # a NaN would end all
    blocks = floor((counted + float(_BLOCK - 1)) * (1 / _BLOCK)).plain
    start = last(blocks * float(_BLOCK))

    def advanced(k: Operand, values: Sequence[Operand]) -> list[Operand]:
        block = Plain(engine, k)
        before = form.joined(engine, values)
        first = block * float(_BLOCK)
        numerator: Number = before
        denominator: Number = before.full(1.0)
        for j in range(_BLOCK):
            numerator, denominator = step(first - float(j), numerator, denominator)
        return form.split(where(blocks >= block, numerator / denominator, before))

    return form.joined(engine, engine.countdown(blocks.value, form.split(start), advanced))


def where_rare(
    operands: Sequence[Number],
    condition: Condition,
    compute: Callable[[], Number],
    otherwise: Number,
) -> Number:
    """Return the result of a function of the operands where a condition holds, and `otherwise` elsewhere.

    The function is not called if the condition holds nowhere.
    """
    engine = condition.engine
    form = _Form(*operands, otherwise)

    def computed() -> list[Operand]:
        return form.split(where(condition, compute(), otherwise))

    return form.joined(engine, engine.if_any(condition.value, computed, form.split(otherwise)))


@final
class _Form:
    """The levels of the derivatives that numbers carry into a loop or a branch, and out of it."""

    __slots__ = ("levels",)

    def __init__(self, *numbers: Number) -> None:
        self.levels = sorted({level for x in numbers for level in _levels(x)}, reverse=True)

    def split(self, x: Number) -> list[Operand]:
        """Return the value and the derivatives of a number."""
        return [part.value for part in _parts(x, self.levels)]

    def joined(self, engine: Engine, values: Sequence[Operand]) -> Number:
        """Return the number of these values."""
        return _rebuilt(self.levels, iter([Plain(engine, value) for value in values]))


def size(x: Number) -> Number:
    """Return the sum of the absolute values of a number and its derivatives, for tests of convergence."""
    return size(x.value) + size(x.slope) if isinstance(x, Dual) else abs(x)


def _levels(x: Number) -> set[int]:
    return {x.level} | _levels(x.value) | _levels(x.slope) if isinstance(x, Dual) else set()


def _parts(x: Number, levels: Sequence[int]) -> list[Plain]:
    """Return the number's value and derivatives of all levels, highest first; those that it lacks are zero."""
    if not levels:
        return [x.plain]
    carried = isinstance(x, Dual) and x.level == levels[0]
    value = x.value if isinstance(x, Dual) and carried else x
    slope = x.slope if isinstance(x, Dual) and carried else x.full(0.0)
    return [*_parts(value, levels[1:]), *_parts(slope, levels[1:])]


def _rebuilt(levels: Sequence[int], parts: Iterator[Plain]) -> Number:
    if not levels:
        return next(parts)
    value = _rebuilt(levels[1:], parts)
    return Dual(levels[0], value, _rebuilt(levels[1:], parts))
