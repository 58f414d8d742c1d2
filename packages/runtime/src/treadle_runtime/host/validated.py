"""Host callbacks made safe.

XLA copies what a Python callback returns by its own size, with no look at shape or dtype: a wrong answer would
overwrite memory. `Validated` puts a check between the two, and keeps the exception of a callback, so that the caller
of the program sees the user's own exception and not its text inside a C++ message.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, final

import numpy as np

from treadle_ir import ArgumentError, TreadleError
from treadle_ir.errors import names, shown
from treadle_ir.events import CallbackRun, emit, listeners
from treadle_ir.primitives.effectful import VMAP_METHODS, checked_result
from treadle_ir.process import fork_safe_lock

ShapeDtype: TypeAlias = tuple[Sequence[int], Any]  # Any: whatever NumPy takes as a dtype


class CallbackError(TreadleError, RuntimeError):
    """A callback returned something else than was declared."""


class Validated:
    """A callback as jaxlib wants it: read-only views in, a tuple of contiguous arrays out.

    `_raised` holds the exceptions that the callback has raised and `take_error()` has not returned yet: XLA:CPU calls
    back on the thread that runs the program, which need not be the caller's.

    If it `answers` in any case, a callback that fails returns zeros, and its exception is only stored, for the code
    that runs the program to get by `take_error()`: other devices would wait forever for the device that called back.

    Raises, when called:
        CallbackError: the number of results is wrong.
        ShapeError, DTypeError: a result does not have the declared shape or element type.
    """

    __slots__ = ("_answers", "_expected", "_function", "_lock", "_name", "_raised")

    def __init__(
        self,
        function: Callable[..., object],
        expected: Iterable[ShapeDtype],
        *,
        answers: bool = False,
    ) -> None:
        self._function = function
        self._answers = answers
        self._name = getattr(function, "__name__", type(function).__name__)
        self._expected = tuple((tuple(shape), np.dtype(dtype)) for shape, dtype in expected)
        self._lock = fork_safe_lock()
        self._raised: list[BaseException] = []

    def __call__(
        self, *operands: np.ndarray[Any, Any] | None
    ) -> tuple[np.ndarray[Any, Any] | None, ...]:
        """Call the function and check what it returns."""
        started = time.perf_counter()
        try:
            given = self._function(*self._given(operands))
            if listeners:
                emit(CallbackRun(self._name, time.perf_counter() - started))
            return self._checked(given)
        except BaseException as error:
            with self._lock:
                del self._raised[:-15]  # they may never be taken; do not collect tracebacks forever
                self._raised.append(error)
            if self._answers:
                return tuple([np.zeros(shape, dtype) for shape, dtype in self._expected])
            raise

    def _given(self, operands: Sequence[Any]) -> Sequence[Any]:
        return [_read_only(operand) for operand in operands]

    def take_error(self) -> BaseException | None:
        """Return and forget the exception raised last, with its traceback; None if there was none."""
        with self._lock:
            return self._raised.pop() if self._raised else None

    def _checked(self, given: object) -> tuple[np.ndarray[Any, Any], ...]:
        expected = self._expected
        if given is None and not expected:
            return ()
        # A single result may come bare; a list or tuple is taken as one array only where it cannot be a sequence.
        results = tuple(given) if isinstance(given, tuple | list) else (given,)
        if len(results) != len(expected):
            raise CallbackError(
                f"callback {self._name}: {len(results)} results were returned, {len(expected)} declared",
                fix="return a tuple with one array for each declared result",
            )
        return tuple(
            self._one(number, value, shape, dtype)
            for number, (value, (shape, dtype)) in enumerate(zip(results, expected, strict=True))
        )

    def _one(
        self, number: int, value: object, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> np.ndarray[Any, Any]:
        array = checked_result(self._name, number, value, shape, dtype)
        # ascontiguousarray makes scalars one-dimensional
        return np.ascontiguousarray(array).reshape(shape)


@final
class InPlace(Validated):
    """A callback that writes to the buffers that it gets: nothing is checked, exceptions are kept."""

    __slots__ = ()

    def __init__(self, function: Callable[..., object], *, answers: bool = False) -> None:
        super().__init__(function, (), answers=answers)

    def _given(self, operands: Sequence[Any]) -> Sequence[Any]:
        return operands


def _read_only(operand: np.ndarray[Any, Any] | None) -> np.ndarray[Any, Any] | None:
    if operand is None:  # a token: it orders effects and has no value
        return None
    view = np.asarray(operand).view()
    view.flags.writeable = False
    return view


def check_vmap_method(function: str, vmap_method: object) -> None:
    """Check the `vmap_method` that a user asks for.

    Raises:
        ArgumentError: it is neither None nor one of those that there are.
    """
    names(function, vmap_method=vmap_method)
    if vmap_method is not None and vmap_method not in VMAP_METHODS:
        raise ArgumentError(
            f"{function}: vmap_method must be one of {', '.join(VMAP_METHODS)}, got {shown(vmap_method)}"
        )
