"""`JAXSparse`: what every format of sparse arrays has, and what it says of what it lacks."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np

from treadle_ir import Array, UnsupportedError
from treadle_ir.core.dtypes import user_name
from treadle_ir.errors import boundaries

__all__ = ["JAXSparse"]


class JAXSparse(ABC):
    """An array of which only some elements are stored; the others are zero. A tree of the arrays that it is made of."""

    __slots__ = ()
    __array_priority__ = 1100  # `array @ sparse` is left to us
    __array_ufunc__ = None  # the same, of arrays of ours
    data: Any  # an array; anything, while a tree of it is mapped

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """The size of each axis."""

    @property
    @abstractmethod
    def nse(self) -> int:
        """The number of elements that are stored ("number of specified elements"), zeros among them."""

    @abstractmethod
    def todense(self) -> Array:
        """Return the array with all its elements."""

    @abstractmethod
    def transpose(self, axes: Any = None) -> Self:
        """Return the axes in another order; reversed by default."""

    @property
    def T(self) -> Self:  # noqa: N802 - NumPy's name
        """The axes in the opposite order."""
        return self.transpose()

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type."""
        found: np.dtype[Any] = self.data.dtype
        return found

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements, stored or not."""
        return math.prod(self.shape)

    def block_until_ready(self) -> Self:
        """Wait for the elements; returns the array itself."""
        self.data.block_until_ready()
        return self

    def sum(self, axis: Any = None) -> Any:
        """Return the sum of the elements, of all axes or of some: dense of all, sparse of some."""
        raise self._lacking("sum")

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without axes")
        return self.shape[0]

    def __hash__(self) -> int:
        raise TypeError(f"unhashable type: {type(self).__name__!r}")

    def __repr__(self) -> str:
        try:
            sizes = ", ".join(map(str, self.shape))
            return f"{type(self).__name__}({user_name(self.dtype)}[{sizes}], nse={self.nse}{self._layout()})"
        except (AttributeError, TypeError):  # a tree that holds no arrays
            return f"{type(self).__name__}(...)"

    def _layout(self) -> str:
        """Return the batch and dense axes for the representation."""
        return ""

    def _lacking(self, operation: str) -> UnsupportedError:
        return UnsupportedError(
            f"{operation} of {type(self).__name__} is not supported, since its result would be dense or has no rule",
            fix="convert first: `x.todense()`",
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise UnsupportedError(
            f"{type(self).__name__} does not become a NumPy array by itself",
            fix="write `x.todense()`",
        )

    def __treadle_array__(self) -> Any:
        raise UnsupportedError(
            f"a function of dense arrays was called on a {type(self).__name__}",
            fix="write `x.todense()`, or transform your function with `sparse.sparsify`",
        )

    def __bool__(self) -> bool:
        return bool(self.todense())

    def __neg__(self) -> Any:
        raise self._lacking("-")

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        raise self._lacking("abs")

    def __add__(self, other: object) -> Any:
        raise self._lacking("+")

    def __radd__(self, other: object) -> Any:
        raise self._lacking("+")

    def __sub__(self, other: object) -> Any:
        raise self._lacking("-")

    def __rsub__(self, other: object) -> Any:
        raise self._lacking("-")

    def __mul__(self, other: object) -> Any:
        raise self._lacking("*")

    def __rmul__(self, other: object) -> Any:
        raise self._lacking("*")

    def __truediv__(self, other: object) -> Any:
        raise self._lacking("/")

    def __matmul__(self, other: object) -> Any:
        raise self._lacking("@")

    def __rmatmul__(self, other: object) -> Any:
        raise self._lacking("@")

    def __getitem__(self, index: object) -> Any:
        raise self._lacking("indexing")

    def __eq__(self, other: object) -> Any:
        raise self._lacking("==")

    def __ne__(self, other: object) -> Any:
        raise self._lacking("!=")


boundaries(__name__)
