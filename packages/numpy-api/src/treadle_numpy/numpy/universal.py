"""ufunc: a function of elements with `reduce` and `outer`."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

from treadle_ir import ArgumentError, functions, integer, names, ops
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy.manipulation.axes import moveaxis
from treadle_numpy.numpy.manipulation.shapes import reshape
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.trees import Tree

__all__ = ["ufunc"]


@final
class ufunc:  # noqa: N801 - NumPy's name
    """A function of elements with `reduce` and, for two operands, `outer`; nothing here makes one but its callers."""

    def __init__(
        self,
        func: Callable[..., Tree],
        /,
        nin: int,
        nout: int,
        *,
        name: str | None = None,
        identity: ArrayLike | None = None,
    ) -> None:
        functions("ufunc", func=func)
        names("ufunc", name=name)
        self._func = func
        self.nin = nin = integer("ufunc", "nin", nin)
        self.nout = nout = integer("ufunc", "nout", nout)
        self.nargs = nin + nout
        self.identity = identity
        self.__name__ = name or getattr(func, "__name__", "ufunc")

    def __call__(self, *args: ArrayLike) -> Tree:
        """The function itself."""
        return self._func(*args)

    def outer(self, a: ArrayLike, b: ArrayLike, /) -> Tree:
        """The function of each element of the one with each of the other."""
        x, y = coerce_array("outer", 0, a), coerce_array("outer", 1, b)
        return self._func(reshape(x, (*x.shape, *(1,) * y.ndim)), y)

    def reduce(self, a: ArrayLike, /, axis: int = 0) -> Tree:
        """The elements along an axis combined from the first on."""
        x = moveaxis(coerce_array("reduce", 0, a), axis, 0)
        parts = [
            ops.reshape(slice_along(x, 0, i, i + 1), shape=x.shape[1:]) for i in range(x.shape[0])
        ]
        if not parts:
            raise ArgumentError(
                f"zero-size array to reduction operation {self.__name__} which has no identity"
            )
        result: Tree = parts[0]
        for part in parts[1:]:
            result = self._func(result, part)
        return result
