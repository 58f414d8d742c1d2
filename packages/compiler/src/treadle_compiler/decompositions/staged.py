"""Formulas as programs of the primitives of `ops`, in the element type of their operands."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Final, final

import numpy as np

from treadle_compiler.decompositions import quick
from treadle_ir import ArrayType, Operand, Operands, Program, bind, ops, stage
from treadle_ir.formulas import Engine, EngineStep, Formula, Function, Number, Plain
from treadle_ir.primitives.compare import Direction
from treadle_ir.primitives.control import Case, While

_FUNCTIONS: Final[Mapping[str, Function]] = {
    "abs": ops.abs,
    "add": ops.add,
    "and": ops.and_,
    "cosine": ops.cosine,
    "digamma": ops.digamma,
    "divide": ops.divide,
    "erf": ops.erf,
    "erfc": ops.erfc,
    "exponential": ops.exponential,
    "exponential_minus_one": ops.exponential_minus_one,
    "floor": ops.floor,
    "lgamma": ops.lgamma,
    "log": ops.log,
    "log_plus_one": ops.log_plus_one,
    "multiply": ops.multiply,
    "negate": ops.negate,
    "not": ops.not_,
    "or": ops.or_,
    "polygamma": ops.polygamma,
    "power": ops.power,
    "round_nearest_even": ops.round_nearest_even,
    "select": ops.select,
    "sine": ops.sine,
    "sqrt": ops.sqrt,
    "subtract": ops.subtract,
}
_F64: Final = np.dtype(np.float64)
_I32: Final = np.dtype(np.int32)


@final
class StagingEngine(Engine):
    """The primitives, on operands of one type."""

    __slots__ = ("double", "functions", "rounded", "type")

    def __init__(self, type: ArrayType, rounded: bool) -> None:
        self.type: Final = type
        self.double = type.dtype == _F64
        self.rounded = rounded
        self.functions = _FUNCTIONS if not rounded else self._quick_functions()

    def _quick_functions(self) -> Mapping[str, Function]:
        def of_operands(formula: Callable[[Number], Number]) -> Function:
            return lambda x: formula(Plain(self, x)).plain.value

        written_out = {name: of_operands(formula) for name, formula in quick.FUNCTIONS.items()}
        quick_functions: dict[str, Function] = {
            "divide": quick.quotient,
            "exponential": quick.exponential,
            "log": quick.logarithm,
        }
        return {**_FUNCTIONS, **quick_functions, **written_out}

    def constant(self, value: float) -> Operand:
        """A scalar."""
        scalar: np.generic = self.type.dtype.type(value)
        return scalar

    def full(self, value: float) -> Operand:
        """A scalar, broadcast."""
        return ops.broadcast_in_dim(self.constant(value), shape=self.type.shape, dimensions=())

    def compare(self, x: Operand, y: Operand, direction: Direction) -> Operand:
        """The primitive."""
        return ops.compare(x, y, direction=direction)

    def loop(
        self,
        state: Operands,
        step: EngineStep,
        unfinished: Callable[[Operands], Operand],
        most: int,
    ) -> Operands:
        """`while`, with the number of the iteration in front of the state."""

        def goes_on(k: Operand, *values: Operand) -> list[Operand]:
            more = ops.compare(k, self.constant(most + 0.5), direction="lt")
            return [ops.and_(more, ops.reduce_or(unfinished(values), axes=self._axes))]

        def body(k: Operand, *values: Operand) -> list[Operand]:
            return [ops.add(k, self.constant(1.0)), *step(k, values)]

        return self._while(goes_on, body, self.constant(1.0), state)

    def countdown(self, counts: Operand, state: Operands, step: EngineStep) -> Operands:
        """`while`, with the number of the step in front of the state."""
        one = self.constant(1.0)

        def goes_on(k: Operand, *values: Operand) -> list[Operand]:
            return [ops.compare(k, one, direction="ge")]

        def body(k: Operand, *values: Operand) -> list[Operand]:
            return [ops.subtract(k, one), *step(k, values)]

        return self._while(goes_on, body, ops.reduce_maximum(counts, axes=self._axes), state)

    def _while(
        self,
        goes_on: Callable[..., list[Operand]],
        body: Callable[..., list[Operand]],
        first: Operand,
        state: Sequence[Operand],
    ) -> Sequence[Operand]:
        """Run a loop that carries a number and a state, and return the state afterwards."""
        types = [ArrayType((), self.type.dtype), *[self.type] * len(state)]
        condition, iteration = stage(goes_on, *types), stage(body, *types)
        captured = len(condition.captured), len(iteration.captured)
        loop = While(condition.program, iteration.program, *captured)
        return bind(loop, *condition.captured, *iteration.captured, first, *state)[1:]

    @property
    def _axes(self) -> tuple[int, ...]:
        return tuple(range(len(self.type.shape)))

    def if_any(
        self, condition: Operand, compute: Callable[[], list[Operand]], otherwise: Operands
    ) -> Operands:
        """`case`, of which XLA computes one branch."""
        types = [self.type] * len(otherwise)
        wanted = stage(lambda *_: compute(), *types)
        captured = len(wanted.captured)
        inputs = wanted.program.parameter_types
        kept = stage(lambda *operands: list(operands[captured:]), *inputs)
        some = ops.reduce_or(condition, axes=self._axes)
        index = ops.convert(some, dtype=_I32)
        branches = Case((kept.program, wanted.program))
        return bind(branches, index, *wanted.captured, *otherwise)


@functools.lru_cache(maxsize=256)
def program_of(formula: Formula, count: int, type: ArrayType, rounded: bool = False) -> Program:
    """The program of a formula of so many operands of a type, f32 or f64; `rounded`, if its results will be rounded."""

    def function(*operands: Operand) -> list[Operand]:
        engine = StagingEngine(type, rounded)
        return [formula(*[Plain(engine, x) for x in operands]).plain.value]

    staged = stage(function, *[type] * count)
    assert not staged.captured
    return staged.program
