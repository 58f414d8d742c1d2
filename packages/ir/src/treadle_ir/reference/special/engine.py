"""The engine that runs formulas on NumPy's float64 arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from treadle_ir.formulas.arithmetic import Engine, EngineStep, Formula, Function, Plain
from treadle_ir.formulas.zetas import polygamma
from treadle_ir.primitives.compare import Direction
from treadle_ir.reference.registry import Elements
from treadle_ir.reference.special import functions
from treadle_ir.tracing.array import Operand, Operands

_FUNCTIONS: Final[Mapping[str, Function]] = {
    "abs": np.abs,
    "add": np.add,
    "and": np.logical_and,
    "cosine": np.cos,
    "digamma": functions.digamma,
    "divide": np.divide,
    "erf": functions.erf,
    "erfc": functions.erfc,
    "exponential": np.exp,
    "exponential_minus_one": np.expm1,
    "floor": np.floor,
    "lgamma": functions.lgamma,
    "log": np.log,
    "log_plus_one": np.log1p,
    "multiply": np.multiply,
    "negate": np.negative,
    "not": np.logical_not,
    "or": np.logical_or,
    "polygamma": lambda n, x: evaluated(polygamma, n, x),
    "power": np.power,
    "round_nearest_even": np.rint,
    "select": np.where,
    "sine": np.sin,
    "sqrt": np.sqrt,
    "subtract": np.subtract,
}
_COMPARISONS: Final[Mapping[Direction, Function]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


class HostEngine(Engine):
    """NumPy on float64 arrays of one shape."""

    __slots__ = ("rounded", "shape")
    functions: Mapping[str, Function] = _FUNCTIONS
    double: bool = True

    def __init__(self, shape: tuple[int, ...], rounded: bool) -> None:
        self.shape: Final = shape
        self.rounded = rounded

    def constant(self, value: float) -> Operand:
        """Return a scalar."""
        return np.float64(value)

    def full(self, value: float) -> Operand:
        """Return an array filled with it."""
        return np.full(self.shape, value)

    def compare(self, x: Operand, y: Operand, direction: Direction) -> Operand:
        """Apply NumPy's function."""
        result: Elements = _COMPARISONS[direction](x, y)
        return result

    def loop(
        self,
        state: Operands,
        step: EngineStep,
        unfinished: Callable[[Operands], Operand],
        most: int,
    ) -> Operands:
        """Run a Python loop."""
        for k in range(1, most + 1):
            if not np.any(np.asarray(unfinished(state))):
                break
            state = step(self.constant(k), state)
        return state

    def countdown(self, counts: Operand, state: Operands, step: EngineStep) -> Operands:
        """Run a Python loop."""
        for k in range(int(np.max(np.asarray(counts), initial=0.0)), 0, -1):
            state = step(self.constant(k), state)
        return state

    def if_any(
        self, condition: Operand, compute: Callable[[], list[Operand]], otherwise: Operands
    ) -> Operands:
        """Use Python's `if`."""
        return compute() if np.any(np.asarray(condition)) else otherwise


def evaluated(formula: Formula, *operands: Elements, rounded: bool = False) -> Elements:
    """Evaluate a formula of float64 arrays, broadcast to one shape; `rounded` is true if results will be rounded."""
    arrays = np.broadcast_arrays(*operands)
    engine = HostEngine(arrays[0].shape, rounded)
    return np.asarray(formula(*[Plain(engine, x) for x in arrays]).plain.value)
