"""Loops of formulas, also of numbers that carry derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from treadle_ir.array import Operand
from treadle_ir.formulas.arithmetic import Condition, Number, Plain, where
from treadle_ir.formulas.dual import Dual

Step: TypeAlias = Callable[[Number, Sequence[Number]], list[Number]]
Unfinished: TypeAlias = Callable[[Sequence[Number]], Condition]


def loop(
    operands: Sequence[Number],
    state: Sequence[Number],
    step: Step,
    unfinished: Unfinished,
    most: int,
) -> list[Number]:
    """Repeat a step on the elements that are unfinished, `most` times at most.

    The step gets the number of the iteration, from 1, and the state, each of which has the full shape, and may use the
    operands. An element that is finished stays as it is: its result does not depend on the elements beside it.
    """
    engine = state[0].engine
    levels = sorted({level for x in (*operands, *state) for level in _levels(x)}, reverse=True)

    def joined(values: Sequence[Operand]) -> list[Number]:
        parts = iter([Plain(engine, value) for value in values])
        return [_rebuilt(levels, parts) for _ in state]

    def split(numbers: Sequence[Number]) -> list[Operand]:
        return [part.value for number in numbers for part in _parts(number, levels)]

    def advanced(k: Operand, values: Sequence[Operand]) -> list[Operand]:
        before = joined(values)
        active = unfinished(before)
        after = step(Plain(engine, k), before)
        return split([where(active, x, y) for x, y in zip(after, before, strict=True)])

    def goes_on(values: Sequence[Operand]) -> Operand:
        return unfinished(joined(values)).value

    return joined(engine.loop(split(state), advanced, goes_on, most))


def size(x: Number) -> Number:
    """The sum of the absolute values of a number and its derivatives, for tests of convergence."""
    return size(x.value) + size(x.slope) if isinstance(x, Dual) else abs(x)


def _levels(x: Number) -> set[int]:
    return {x.level} | _levels(x.value) | _levels(x.slope) if isinstance(x, Dual) else set()


def _parts(x: Number, levels: Sequence[int]) -> list[Plain]:
    """The number's value and derivatives of all levels, highest first; those that it lacks are zero."""
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
