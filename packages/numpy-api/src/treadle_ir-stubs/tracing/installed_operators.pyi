"""The operators, methods and properties that treadle_numpy installs on arrays, for type checkers.

Where treadle_numpy is installed, checkers read this file instead of the file of the same name in treadle_ir, which has
the operators of treadle_ir alone (PEP 561: a partial stub package). A test compares names and arguments with the table.
"""

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from types import EllipsisType, ModuleType
from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias

import numpy as np

from treadle_ir.tracing.array import Array, Operand

ArrayLike: TypeAlias = Operand | bool | int | float | complex
Axis: TypeAlias = int | Sequence[int] | None
IndexMode: TypeAlias = str | Enum | None
Precision: TypeAlias = str | Enum | tuple[str, str] | tuple[Enum, Enum] | None
Number: TypeAlias = bool | int | float | complex

class Range(Protocol):
    """What `treadle.ds` makes: a range as an index, whose start may be traced."""

    @property
    def start(self) -> Any: ...
    @property
    def size(self) -> int: ...
    @property
    def stride(self) -> int: ...

IndexPart: TypeAlias = (
    SupportsIndex
    | slice
    | EllipsisType
    | Array
    | np.ndarray[Any, np.dtype[Any]]
    | np.bool_
    | Range
    | None
)
Index: TypeAlias = IndexPart | tuple[IndexPart, ...]

class NamedDType(Protocol):
    """An element type as an object that also makes arrays: `treadle.numpy.float32`."""

    name: str
    dtype: np.dtype[Any]

DTypeLike: TypeAlias = str | type[Any] | np.dtype[Any] | NamedDType

class Updates(Protocol):
    """What `x.at` gives."""

    def __getitem__(self, index: Index, /) -> UpdatesAt: ...

class UpdatesAt(Protocol):
    """What `x.at[index]` gives."""

    def get(
        self,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: IndexMode = None,
        fill_value: Number | None = None,
        wrap_negative_indices: bool = True,
    ) -> Array: ...
    def set(
        self,
        values: ArrayLike | Sequence[Number],
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: IndexMode = None,
        wrap_negative_indices: bool = True,
    ) -> Array: ...
    def add(
        self,
        values: ArrayLike | Sequence[Number],
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: IndexMode = None,
        wrap_negative_indices: bool = True,
    ) -> Array: ...
    def subtract(
        self,
        values: ArrayLike,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: IndexMode = None,
        wrap_negative_indices: bool = True,
    ) -> Array: ...
    def multiply(
        self,
        values: ArrayLike | Sequence[Number],
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: IndexMode = None,
        wrap_negative_indices: bool = True,
    ) -> Array: ...
    def mul(
        self,
        values: ArrayLike | Sequence[Number],
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: IndexMode = None,
        wrap_negative_indices: bool = True,
    ) -> Array: ...
    def divide(
        self,
        values: ArrayLike | Sequence[Number],
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: IndexMode = None,
        wrap_negative_indices: bool = True,
    ) -> Array: ...
    def power(
        self,
        values: ArrayLike | Sequence[Number],
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: IndexMode = None,
        wrap_negative_indices: bool = True,
    ) -> Array: ...
    def min(
        self,
        values: ArrayLike | Sequence[Number],
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: IndexMode = None,
        wrap_negative_indices: bool = True,
    ) -> Array: ...
    def max(
        self,
        values: ArrayLike | Sequence[Number],
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: IndexMode = None,
        wrap_negative_indices: bool = True,
    ) -> Array: ...
    def apply(
        self,
        func: Callable[[Array], ArrayLike],
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: IndexMode = None,
        wrap_negative_indices: bool = True,
    ) -> Array: ...

class InstalledOperators:
    """The operators, methods and properties of arrays, as `treadle_numpy.arrays.table` has them."""

    # operators
    def __add__(self, other: ArrayLike) -> Array: ...
    def __radd__(self, other: ArrayLike) -> Array: ...
    def __sub__(self, other: ArrayLike) -> Array: ...
    def __rsub__(self, other: ArrayLike) -> Array: ...
    def __mul__(self, other: ArrayLike) -> Array: ...
    def __rmul__(self, other: ArrayLike) -> Array: ...
    def __truediv__(self, other: ArrayLike) -> Array: ...
    def __rtruediv__(self, other: ArrayLike) -> Array: ...
    def __floordiv__(self, other: ArrayLike) -> Array: ...
    def __rfloordiv__(self, other: ArrayLike) -> Array: ...
    def __mod__(self, other: ArrayLike) -> Array: ...
    def __rmod__(self, other: ArrayLike) -> Array: ...
    def __divmod__(self, other: ArrayLike) -> tuple[Array, Array]: ...
    def __rdivmod__(self, other: ArrayLike) -> tuple[Array, Array]: ...
    def __pow__(self, other: ArrayLike, modulus: None = None) -> Array: ...
    def __rpow__(self, other: ArrayLike, modulus: None = None) -> Array: ...
    def __matmul__(self, other: ArrayLike) -> Array: ...
    def __rmatmul__(self, other: ArrayLike) -> Array: ...
    def __and__(self, other: ArrayLike) -> Array: ...
    def __rand__(self, other: ArrayLike) -> Array: ...
    def __or__(self, other: ArrayLike) -> Array: ...
    def __ror__(self, other: ArrayLike) -> Array: ...
    def __xor__(self, other: ArrayLike) -> Array: ...
    def __rxor__(self, other: ArrayLike) -> Array: ...
    def __lshift__(self, other: ArrayLike) -> Array: ...
    def __rlshift__(self, other: ArrayLike) -> Array: ...
    def __rshift__(self, other: ArrayLike) -> Array: ...
    def __rrshift__(self, other: ArrayLike) -> Array: ...
    def __eq__(self, other: object) -> Array: ...  # type: ignore[override]  # elementwise, as in NumPy
    def __ne__(self, other: object) -> Array: ...  # type: ignore[override]  # elementwise, as in NumPy
    def __lt__(self, other: ArrayLike) -> Array: ...
    def __le__(self, other: ArrayLike) -> Array: ...
    def __gt__(self, other: ArrayLike) -> Array: ...
    def __ge__(self, other: ArrayLike) -> Array: ...
    def __neg__(self) -> Array: ...
    def __pos__(self) -> Array: ...
    def __abs__(self) -> Array: ...
    def __invert__(self) -> Array: ...
    def __getitem__(self, index: Index) -> Array: ...
    # Not __setitem__: arrays never change, and type checkers report it.
    def __contains__(self, value: object) -> bool: ...
    def __iter__(self) -> Iterator[Array]: ...
    def __reversed__(self) -> Iterator[Array]: ...
    def __bytes__(self) -> bytes: ...
    def __round__(self, ndigits: int | None = None) -> Array: ...
    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType: ...

    # parts and views
    @property
    def T(self) -> Array: ...  # noqa: N802 - NumPy's name
    @property
    def mT(self) -> Array: ...  # noqa: N802 - NumPy's name
    @property
    def at(self) -> Updates: ...
    @property
    def flat(self) -> Array: ...
    @property
    def imag(self) -> Array: ...
    @property
    def real(self) -> Array: ...

    # methods
    def all(
        self,
        axis: Axis = None,
        out: None = None,
        keepdims: bool = False,
        *,
        where: ArrayLike | None = None,
    ) -> Array: ...
    def any(
        self,
        axis: Axis = None,
        out: None = None,
        keepdims: bool = False,
        *,
        where: ArrayLike | None = None,
    ) -> Array: ...
    def argmax(
        self, axis: int | None = None, out: None = None, keepdims: bool | None = None
    ) -> Array: ...
    def argmin(
        self, axis: int | None = None, out: None = None, keepdims: bool | None = None
    ) -> Array: ...
    def argpartition(self, kth: int, axis: int = -1) -> Array: ...
    def argsort(
        self,
        axis: int | None = -1,
        *,
        kind: None = None,
        order: None = None,
        stable: bool = True,
        descending: bool = False,
        dtype: DTypeLike | None = None,
    ) -> Array: ...
    def astype(
        self, dtype: DTypeLike | None, copy: bool = False, device: object = None
    ) -> Array: ...
    def byteswap(self) -> Array: ...
    def choose(
        self,
        choices: ArrayLike | Sequence[ArrayLike],
        out: None = None,
        mode: str = "raise",
    ) -> Array: ...
    def clip(self, min: ArrayLike | None = None, max: ArrayLike | None = None) -> Array: ...
    def clone(self) -> Array: ...
    def compress(
        self,
        condition: ArrayLike | Sequence[bool],
        axis: int | None = None,
        *,
        size: int | None = None,
        fill_value: Number | None = 0,
        out: None = None,
    ) -> Array: ...
    def conj(self) -> Array: ...
    def conjugate(self) -> Array: ...
    def copy(self) -> Array: ...
    def cumprod(
        self, axis: int | None = None, dtype: DTypeLike | None = None, out: None = None
    ) -> Array: ...
    def cumsum(
        self, axis: int | None = None, dtype: DTypeLike | None = None, out: None = None
    ) -> Array: ...
    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array: ...
    def dot(
        self,
        b: ArrayLike,
        *,
        precision: Precision = None,
        preferred_element_type: DTypeLike | None = None,
    ) -> Array: ...
    def flatten(self, order: str = "C") -> Array: ...
    def max(
        self,
        axis: Axis = None,
        out: None = None,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: ArrayLike | None = None,
    ) -> Array: ...
    def mean(
        self,
        axis: Axis = None,
        dtype: DTypeLike | None = None,
        out: None = None,
        keepdims: bool = False,
        *,
        where: ArrayLike | None = None,
    ) -> Array: ...
    def min(
        self,
        axis: Axis = None,
        out: None = None,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: ArrayLike | None = None,
    ) -> Array: ...
    def nonzero(
        self,
        *,
        size: int | None = None,
        fill_value: ArrayLike | Sequence[ArrayLike] | None = None,
    ) -> tuple[Array, ...]: ...
    def prod(
        self,
        axis: Axis = None,
        dtype: DTypeLike | None = None,
        out: None = None,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: ArrayLike | None = None,
        promote_integers: bool = True,
    ) -> Array: ...
    def ptp(self, axis: Axis = None, out: None = None, keepdims: bool = False) -> Array: ...
    def ravel(self, order: str = "C") -> Array: ...
    def repeat(
        self,
        repeats: ArrayLike | Sequence[int],
        axis: int | None = None,
        *,
        total_repeat_length: int | None = None,
    ) -> Array: ...
    def reshape(
        self, *args: int | Sequence[int], order: str = "C", copy: bool | None = None
    ) -> Array: ...
    def round(self, decimals: int = 0, out: None = None) -> Array: ...
    def searchsorted(
        self,
        v: ArrayLike,
        side: str = "left",
        sorter: ArrayLike | None = None,
        *,
        method: str = "scan",
    ) -> Array: ...
    def sort(
        self,
        axis: int | None = -1,
        *,
        kind: None = None,
        order: None = None,
        stable: bool = True,
        descending: bool = False,
    ) -> Array: ...
    def squeeze(self, axis: int | Sequence[int] | None = None) -> Array: ...
    def std(
        self,
        axis: Axis = None,
        dtype: DTypeLike | None = None,
        out: None = None,
        ddof: int | float = 0,
        keepdims: bool = False,
        *,
        where: ArrayLike | None = None,
        mean: ArrayLike | None = None,
        correction: int | float | None = None,
    ) -> Array: ...
    def sum(
        self,
        axis: Axis = None,
        dtype: DTypeLike | None = None,
        out: None = None,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: ArrayLike | None = None,
        promote_integers: bool = True,
    ) -> Array: ...
    def swapaxes(self, axis1: int, axis2: int) -> Array: ...
    def take(
        self,
        indices: ArrayLike,
        axis: int | None = None,
        out: None = None,
        mode: IndexMode = None,
        unique_indices: bool = False,
        indices_are_sorted: bool = False,
        fill_value: Number | None = None,
    ) -> Array: ...
    def tobytes(self, order: Literal["C", "F", "A", "K"] = "C") -> bytes: ...
    def trace(
        self,
        offset: int = 0,
        axis1: int = 0,
        axis2: int = 1,
        dtype: DTypeLike | None = None,
        out: None = None,
    ) -> Array: ...
    def transpose(self, *args: int | Sequence[int] | None) -> Array: ...
    def var(
        self,
        axis: Axis = None,
        dtype: DTypeLike | None = None,
        out: None = None,
        ddof: int | float = 0,
        keepdims: bool = False,
        *,
        where: ArrayLike | None = None,
        mean: ArrayLike | None = None,
        correction: int | float | None = None,
    ) -> Array: ...
    def view(self, dtype: DTypeLike | None = None, type: object = None) -> Array: ...

    # of the facade
    @property
    def aval(self) -> Any: ...  # the facade's ShapedArray
    def to_device(
        self, device: Any, *, stream: None = None
    ) -> Array: ...  # a Device of the runtime's, or a sharding
