"""Effectful operations: calls of Python functions on the host while a program runs.

A `HostFunction` takes NumPy arrays and returns a tuple of NumPy arrays of the declared types. `pure_callback` may
be repeated, dropped or moved; `io_callback` and `debug_callback` run once each time that the program reaches them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, TypeAlias, final

import numpy as np

from treadle_ir.core.effects import Callback, Effects, OrderedCallback
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.registry import register
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import ArgumentError, DTypeError, ShapeError
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind

VmapMethod: TypeAlias = Literal[
    "sequential", "sequential_unrolled", "expand_dims", "broadcast_all", "legacy_vectorized"
]
VMAP_METHODS = (
    "sequential",
    "sequential_unrolled",
    "expand_dims",
    "broadcast_all",
    "legacy_vectorized",
)


def checked_result(
    callback: str, number: int, value: object, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> np.ndarray[Any, np.dtype[Any]]:
    """Return a result of a callback as an array of the declared type.

    A plain Python number is converted to the declared element type; an array must have that element type already.

    Raises:
        ShapeError, DTypeError: the result does not have the declared type.
    """
    has_dtype = isinstance(getattr(value, "dtype", None), np.dtype)
    try:
        array = np.asarray(value, None if has_dtype else dtype)
    except (TypeError, ValueError, OverflowError, MemoryError, RecursionError) as error:
        raise DTypeError(
            f"callback {callback}: result {number} is a {type(value).__name__}, not an array of {dtype}",
            fix="return NumPy arrays",
        ) from error
    if array.dtype != dtype:
        raise DTypeError(
            f"callback {callback}: result {number} has dtype {array.dtype}, but {dtype} was declared",
            fix=f"return it as .astype({dtype.name!r}), or declare {array.dtype.name}",
        )
    if array.shape != shape:
        raise ShapeError(
            f"callback {callback}: result {number} has shape {list(array.shape)}, but {list(shape)} was declared",
            fix="return an array of the declared shape; nothing is broadcast here",
        )
    return array


@final
@frozen
class HostFunction:
    """A Python function of flat NumPy arrays, and the types of its results."""

    function: Callable[..., Any]  # Any: what it returns is checked at each call
    results: tuple[ArrayType, ...]

    def __call__(self, *operands: np.ndarray[Any, np.dtype[Any]]) -> Any:
        """Call the function, without checking its results."""
        return self.function(*operands)

    def checked(
        self, *operands: np.ndarray[Any, np.dtype[Any]]
    ) -> list[np.ndarray[Any, np.dtype[Any]]]:
        """Call the function and check its results.

        Raises:
            ArgumentError: the number of results is wrong.
            ShapeError, DTypeError: a result does not have its declared type.
        """
        views = []
        for operand in operands:
            view = np.asarray(operand).view()
            view.flags.writeable = False
            views.append(view)
        given = self.function(*views)
        results = (
            () if given is None else tuple(given) if isinstance(given, (tuple, list)) else (given,)
        )
        name = getattr(self.function, "__name__", type(self.function).__name__)
        if len(results) != len(self.results):
            raise ArgumentError(
                f"callback {name}: {len(results)} results were returned, {len(self.results)} declared",
                fix="return a tuple with one array for each declared result",
            )
        arrays = []
        for number, (value, declared) in enumerate(zip(results, self.results, strict=True)):
            array = checked_result(name, number, value, declared.shape, declared.dtype)
            # The function may keep a reference to its result, and write to it later.
            arrays.append(array.copy() if array is value or array.base is not None else array)
        return arrays


class HostCall(Primitive):
    """Family: calls a host function on its operands."""

    __slots__ = ()
    opaque: ClassVar[bool] = True
    callback: HostFunction

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the declared types."""
        return self.callback.results


@register
@final
@frozen
class PureCallback(HostCall):
    """Calls a host function that has no side effects; it may be called more than once, or not at all."""

    name: ClassVar[str] = "pure_callback"
    callback: HostFunction
    vmap_method: VmapMethod | None = None


@register
@final
@frozen
class IoCallback(HostCall):
    """Calls a host function for its side effects, in program order if `ordered`."""

    name: ClassVar[str] = "io_callback"
    callback: HostFunction
    ordered: bool = False

    def effects(self, *operands: Type) -> Effects:
        """Return the effect of a callback, ordered or not."""
        return frozenset({OrderedCallback() if self.ordered else Callback()})


@register
@final
@frozen
class DebugCallback(HostCall):
    """Calls a host function to inspect values; under derivatives and batching it gets the values, too."""

    name: ClassVar[str] = "debug_callback"
    callback: HostFunction
    ordered: bool = False

    def effects(self, *operands: Type) -> Effects:
        """Return the effect of a callback, ordered or not."""
        return frozenset({OrderedCallback() if self.ordered else Callback()})


def pure_callback(
    *operands: Operand,
    function: Callable[..., Any],  # Any: what it returns is checked at each call
    results: Sequence[ArrayType],
    vmap_method: VmapMethod | None = None,
) -> Sequence[Array]:
    """Call a host function that has no side effects."""
    return bind(PureCallback(HostFunction(function, tuple(results)), vmap_method), *operands)


def io_callback(
    *operands: Operand,
    function: Callable[..., Any],  # Any: what it returns is checked at each call
    results: Sequence[ArrayType],
    ordered: bool = False,
) -> Sequence[Array]:
    """Call a host function for its side effects."""
    return bind(IoCallback(HostFunction(function, tuple(results)), ordered), *operands)


def debug_callback(
    *operands: Operand, function: Callable[..., object], ordered: bool = False
) -> None:
    """Call a host function to inspect values."""
    bind(DebugCallback(HostFunction(function, ()), ordered), *operands)
