"""Draws programs: every step is checked by staging it with the types of its operands, so that all of them are valid."""

from __future__ import annotations

import functools
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, final

import numpy as np

import treadle
from conformance.random_programs.functions import Function, functions
from conformance.random_programs.program import KEY, Argument, Call, Case, Nested, Program
from conformance.random_programs.run import Namespace, NotArraysError, namespace, probed
from treadle_ir.core import dtypes

DEPTH: Final = 4
_ELEMENTS: Final = 512
_MAPPING: Final = {"vmapped", "vmapped_last", "vmapped_named", "mapped", "scanned", "sharded"}
_CARRYING: Final = {"scanned", "looped", "repeated", "referenced"}
_CLOSED: Final = {"with_own_jvp", "with_own_vjp", "sharded"}  # no names of the function around them
HELPERS: Final = (
    *("jitted", "checkpointed", "vmapped", "vmapped_last", "vmapped_named", "mapped", "scanned"),
    *("looped", "repeated", "branched", "with_own_jvp", "with_own_vjp", "referenced"),
    *("jvp_of", "vjp_of", "grad_of"),
)
_NUMBERS: Final = {
    "float32": 12,
    "bfloat16": 3,
    "float16": 3,
    "complex64": 3,
    "int32": 2,
    **dict.fromkeys(("int8", "uint8", "int16", "uint32", "bool"), 1),
}
_WIDE: Final = {"float64": 9, "complex128": 3, "int64": 2, "uint64": 1}
_INDICES: Final = ("int32", "int8", "uint8", "int16", "uint32")
_SPECIAL: Final = (
    float("nan"), float("inf"), float("-inf"), -0.0, 0.0, 1.0, -1.0, 0.5,
)  # fmt: skip


@final
@dataclass
class _Frame:
    """A function that is being drawn."""

    around: _Frame | None
    closes: bool  # whether it may name values of the function around it
    visible: list[str] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)


@functools.cache
def _table() -> tuple[Function, ...]:
    return tuple(functions())


@final
class Draw:
    """Draws one case from a generator of random numbers."""

    def __init__(self, seed: int | str, devices: int = 1) -> None:
        self.random = random.Random(seed)
        self.x64 = self.random.random() < 0.3
        self.helpers = (*HELPERS, "sharded") if devices >= 8 else HELPERS
        self.specials = self.random.random() < 0.2
        self.types: dict[str, Any] = {}
        self.arguments: list[Argument] = []
        self.refused: Counter[str] = Counter()
        self._names = 0
        self._scope: Namespace = namespace()

    def case(self) -> Case:
        """A program with arguments."""
        with treadle.enable_x64(self.x64):
            frame = _Frame(None, False)
            program = self._program(frame, self.random.randint(2, 5), DEPTH)
        return Case(program, tuple(self.arguments), self.x64)

    def _name(self, letter: str) -> str:
        self._names += 1
        return f"{letter}{self._names}"

    # --- values -----------------------------------------------------------------------------------

    def _dtype(self, kind: str) -> str:
        if kind == "number":
            weights = {**_NUMBERS, **(_WIDE if self.x64 else {})}
            return self.random.choices([*weights], [*weights.values()])[0]
        return self.random.choice(_INDICES) if kind == "index" else kind

    def _suits(self, name: str, shape: tuple[int, ...], kind: str) -> bool:
        found = self.types[name]
        if tuple(found.shape) != shape:
            return False
        key = dtypes.is_key(found.dtype)
        if kind == KEY or key:
            return key and kind == KEY
        if kind == "number":
            return True
        integers = np.issubdtype(found.dtype, np.integer)
        return bool(integers) if kind == "index" else found.dtype == np.dtype(kind)

    def _value(self, frame: _Frame, shape: tuple[int, ...], kind: str, dtype: str = "") -> str:
        """A value in sight, or a new parameter."""
        sight = [*frame.visible]
        outer = frame
        while outer.closes and outer.around is not None:
            outer = outer.around
            if self.random.random() < 0.3:
                sight = [*outer.visible, *sight]
        found = [name for name in sight if self._suits(name, shape, dtype or kind)]
        if dtype:
            found = [name for name in found if _letters(self.types[name].dtype) == dtype]
        if found and self.random.random() < 0.75:
            return found[-1 - int(len(found) * self.random.random() ** 2)]
        dtype = dtype or self._dtype(kind)
        name = self._name("a" if frame.around is None else "p")
        if frame.around is None:
            self.arguments.append(Argument(name, dtype, shape, self._numbers(dtype, shape, kind)))
        if dtype == KEY:
            self.types[name] = treadle.eval_shape(lambda: treadle.random.key(0))
        else:
            self.types[name] = treadle.ShapeDtypeStruct(shape, _element(dtype))
        frame.parameters.append(name)
        frame.visible.append(name)
        return name

    def _numbers(self, dtype: str, shape: tuple[int, ...], kind: str) -> tuple[Any, ...]:
        count = int(np.prod(shape, dtype=int))
        if dtype == KEY:
            return (self.random.randrange(2**20),)
        element = _element(dtype)
        if dtype == "bool":
            return tuple(self.random.random() < 0.5 for _ in range(count))
        if np.issubdtype(element, np.integer):
            info = np.iinfo(element)
            extremes = kind != "index" and self.specials
            low = -4 if info.min < 0 and kind != "index" else 0
            return tuple(
                self.random.choice([int(info.min), int(info.max), 1])
                if extremes and self.random.random() < 0.3
                else self.random.randint(low, 2 if kind == "index" else 5)
                for _ in range(count)
            )
        return tuple(self._float(element) for _ in range(count))

    def _float(self, element: np.dtype[Any]) -> float | complex:
        if dtypes.is_complex(element):
            return complex(
                round(self.random.uniform(-2, 2), 3), round(self.random.uniform(-2, 2), 3)
            )
        if self.specials and self.random.random() < 0.3:
            return self.random.choice(_SPECIAL)
        return float(np.array(self.random.uniform(-2, 2)).astype(element).astype(np.float64))

    # --- programs ---------------------------------------------------------------------------------

    def _program(self, frame: _Frame, length: int, depth: int) -> Program:
        steps: list[Call | Nested] = []
        for _ in range(length * 4):  # some are refused
            nest = depth > 0 and self.random.random() < 0.4
            step = self._nested(frame, depth) if nest else self._call(frame)
            if step is not None:
                steps.append(step)
            if len(steps) == length:
                break
        results = [name for step in steps for name in step.results]
        if len(results) > 4:
            results = [*self.random.sample(results[:-2], 2), *results[-2:]]
        return Program(tuple(frame.parameters), tuple(steps), tuple(results))

    def _accepted(self, frame: _Frame, step: Call | Nested) -> Any:
        """The step with names for its results, or None where it is refused."""
        given = {name: self.types[name] for name in dict.fromkeys(_free(step))}
        try:
            found = probed(step, given, self._scope)
        except NotArraysError:
            return None
        except Exception as error:  # counted; a program of valid steps is what is drawn
            function = step.function if isinstance(step, Call) else step.helper
            self.refused[f"{function}: {type(error).__name__}: {_line(error)}"] += 1
            return None
        if any(int(np.prod(x.shape, dtype=int)) not in range(1, _ELEMENTS + 1) for x in found):
            return None
        names = tuple(self._name("v") for _ in found)
        self.types.update(zip(names, found, strict=True))
        frame.visible.extend(names)
        if isinstance(step, Call):
            return Call(step.function, names, step.text, step.operands)
        return Nested(step.helper, names, step.name, step.body, step.operands)

    def _call(self, frame: _Frame) -> Call | None:
        function = self.random.choice(_table())
        before = len(frame.parameters), len(frame.visible), len(self.arguments)
        operands: list[str] = []
        for shape, kind in function.places:
            numbers = [
                x
                for x in operands
                if kind == "number" and self._suits(x, self.types[x].shape, kind)
            ]
            same = (
                _letters(self.types[numbers[-1]].dtype)
                if numbers and self.random.random() < 0.7
                else ""
            )
            if len(function.places) == 1 and kind == "number" and frame.visible:
                shapes = [
                    self.types[x].shape
                    for x in frame.visible
                    if len(self.types[x].shape) == len(shape)
                ]
                shape = tuple(self.random.choice([shape, *shapes]))
            operands.append(self._value(frame, shape, kind, same))
        step = Call(function.name, (), function.text, tuple(operands))
        found: Call | None = self._accepted(frame, step)
        if found is None:  # without the parameters that it alone has asked for
            del frame.parameters[before[0] :], frame.visible[before[1] :]
            if frame.around is None:
                del self.arguments[before[2] :]
        return found

    def _nested(self, frame: _Frame, depth: int) -> Nested | None:
        helper = self.random.choice(self.helpers)
        body = _Frame(frame, helper not in _CLOSED)
        before = len(frame.parameters), len(frame.visible), len(self.arguments)
        if helper in _CARRYING:
            shape = self.random.choice([(2, 3), (3,), (), (3, 3)])
            self._value(body, shape, "number")
        # A program over some value at least, so that there is something to map or to differentiate.
        program = self._program(body, self.random.randint(1, 3), depth - 1)
        if program.results and program.parameters:
            operands: list[tuple[str, ...]] = []
            for i, name in enumerate(program.parameters):
                carried = helper in _CARRYING and i == 0
                first = i == (1 if helper in _CARRYING else 0)
                pair = helper in _MAPPING and not carried and (first or self.random.random() < 0.5)
                operands.append(tuple(self._like(frame, name) for _ in range(2 if pair else 1)))
            if helper == "branched":
                operands.insert(0, (self._value(frame, (), "bool"),))
            step = Nested(helper, (), self._name("f"), program, tuple(operands))
            if helper not in _MAPPING or any(len(x) == 2 for x in operands):
                found: Nested | None = self._accepted(frame, step)
                if found is not None:
                    return found
        del frame.parameters[before[0] :], frame.visible[before[1] :]
        if frame.around is None:
            del self.arguments[before[2] :]
        return None

    def _like(self, frame: _Frame, name: str) -> str:
        found = self.types[name]
        dtype = _letters(found.dtype)
        return self._value(frame, tuple(found.shape), KEY if dtype == KEY else "number", dtype)


def _letters(dtype: Any) -> str:
    return KEY if dtypes.is_key(dtype) else str(np.dtype(dtype).name)


def _element(dtype: str) -> np.dtype[Any]:
    return np.dtype(treadle.numpy.bfloat16 if dtype == "bfloat16" else dtype)


def _line(error: Exception) -> str:
    return str(error).partition("\n")[0][:160]


def _free(step: Call | Nested) -> Iterator[str]:
    """Names that a step reads and does not make."""
    yield from step.read
    if isinstance(step, Nested):
        made = {*step.body.parameters}
        for each in step.body.steps:
            yield from (name for name in _free(each) if name not in made)
            made.update(each.results)
