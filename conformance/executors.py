"""What computes under a law: NumPy on the host, or programs on the platform under test.

`--executor=reference` is the reference evaluator. `--executor=xla` compiles each operation that a law evaluates, with
jaxlib alone (`xla_runner`), so that a law about results is a law about the device. On the CPU the first is the
default, where test_lowering.py compares the two for every operation and element type; on accelerators the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar, final

import numpy as np

from conformance.platform import PLATFORM, what_the_platform_has
from conformance.xla_runner import (
    CARRIERS,
    UNREADABLE,
    Array,
    Compiled,
    carried,
    handed_out,
    received,
)
from treadle_compiler import lower_program, lowering_rules
from treadle_compiler.xla import register_calls
from treadle_ir import (
    ArrayType,
    Literal,
    Operands,
    Primitive,
    ReferenceEvaluator,
    Type,
    bind,
    evaluating,
    stage,
    type_of,
)
from treadle_ir.core import dtypes
from treadle_ir.settings import X64
from treadle_ir.tracing import untraced

T = TypeVar("T")
EXECUTORS: Final = ("reference", "xla")
_MOST_PROGRAMS: Final = 2_000  # compiled ones in this process


@final
class XlaEvaluator:
    """Evaluates each operation as a compiled program of its own; operands and results are NumPy arrays.

    Operations without a lowering (Python functions, float0, what is resolved before lowering) go to the reference.
    """

    def __init__(self) -> None:
        self._reference = ReferenceEvaluator()
        self._compiled: dict[tuple[Primitive, tuple[Any, ...]], Compiled] = {}

    def evaluate(self, primitive: Primitive, operands: Operands) -> Sequence[Array]:
        """Compile the operation for these types, unless it is compiled already, and run it."""
        operands = [x.value if isinstance(x, Literal) else untraced(x) for x in operands]
        types = tuple(type_of(x) for x in operands)
        results = primitive.infer(*types)
        every = [*types, *results]
        if (
            not every
            or lowering_rules.status(type(primitive)) == "absent"
            or type(primitive).opaque
            or any(not isinstance(each, ArrayType) for each in every)
            or any(
                each.dtype in dtypes.NOT_COMPILED for each in every if isinstance(each, ArrayType)
            )
        ):
            return self._reference.evaluate(primitive, operands)
        compiled = self._compiled.get((primitive, types))
        if compiled is None:
            compiled = self._compile(primitive, types)
            if len(self._compiled) >= _MOST_PROGRAMS:
                self._compiled.clear()
            self._compiled[primitive, types] = compiled
        given = [carried(np.asarray(x)) for x in operands]
        found = compiled(given)
        return [_restored(x, each) for x, each in zip(found, results, strict=True)]

    def _compile(self, primitive: Primitive, types: Sequence[Any]) -> Compiled:
        held = [carried(np.zeros((), type.dtype)).dtype for type in types]
        carriers = [ArrayType(t.shape, dtype) for t, dtype in zip(types, held, strict=True)]

        def function(*xs: Any) -> list[Any]:
            own = [received(x, type.dtype) for x, type in zip(xs, types, strict=True)]
            return [handed_out(y) for y in bind(primitive, *own)]

        program = stage(function, *carriers).program
        with what_the_platform_has(primitive.name):
            lowered = lower_program(program, platform=PLATFORM)
        register_calls(lowered.text)
        return Compiled(lowered.text, program.result_types, lowered.callbacks)

    def call(
        self,
        function: Callable[..., T],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        loops: bool = False,
        /,
    ) -> T:
        """Call it: each of its operations is a program."""
        return function(*args, **kwargs)

    def array(self, elements: Any, weak: bool, *, owned: bool = True, users: bool = False) -> Any:
        """The NumPy array itself."""
        return self._reference.array(elements, weak, owned=owned, users=users)

    def adopted(self, x: object, kind: int, number: int) -> None:
        """Take nothing from other libraries."""
        return


def _restored(x: Array, type: Type) -> Array:
    """A result in the element type that the program had, after jaxlib has handed it out in another."""
    assert isinstance(type, ArrayType)
    dtype = type.dtype
    if dtype in UNREADABLE:
        return x.view(dtype)
    return x.astype(dtype) if dtype in CARRIERS else x


_XLA: Final = XlaEvaluator()


@contextmanager
def executing(executor: str) -> Iterator[None]:
    """Evaluate with one of `EXECUTORS`, with 64-bit types: else derivatives of f64 examples are narrowed to f32."""
    evaluator = _XLA if executor == "xla" else ReferenceEvaluator()
    with evaluating(evaluator), X64.override(True):
        yield
