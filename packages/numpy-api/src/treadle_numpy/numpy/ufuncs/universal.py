"""ufunc: a function of elements that can also combine the elements of one array.

The functions of NumPy's that are ufuncs are instances of the class, so that `add.reduce(x)` is there. What the methods
do is in `numpy/folding.py`, which is loaded when one is first called: it needs reductions, which need `add`.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Generic, TypeVar, final

from treadle_ir import Array
from treadle_ir.errors import functions, import_module, integer, names, refused, wraps
from treadle_numpy.operands.arguments import named_only
from treadle_numpy.operands.axes import Axis
from treadle_numpy.operands.broadcast import check_settings
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.dtypes import DTypeLike
from treadle_numpy.operands.trees import Tree

__all__ = ["frompyfunc", "ufunc"]

Result = TypeVar("Result")


def _folding() -> ModuleType:
    return import_module("treadle_numpy.numpy.folding")


@final
class ufunc(Generic[Result]):  # noqa: N801 - NumPy's name
    """A function of elements that can also combine the elements of one array.

    Functions of two arguments and one result have `reduce`, `accumulate`, `reduceat` and `outer`; all with one result
    have `at`. A function that users give is applied to single elements and vectorised, see `vectorize`; `call` is how
    it is applied to whole arrays, if that is known.

    Example:
        >>> import numpy as np
        >>> longer = ufunc(lambda x, y: x + 2 * y, 2, 1, name="longer")
        >>> print(longer(1, np.array([10, 20])), longer.reduce(np.array([1, 10, 100])))
        [21 41] 221
    """

    def __init__(
        self,
        func: Callable[..., Result],
        /,
        nin: int,
        nout: int,
        *,
        name: str | None = None,
        nargs: int | None = None,
        identity: ArrayLike | None = None,
        call: Callable[..., Result] | None = None,
    ) -> None:
        functions("ufunc", func=func)
        names("ufunc", name=name)
        self.nin = integer("ufunc", "nin", nin)
        self.nout = integer("ufunc", "nout", nout)
        self.nargs = self.nin + self.nout if nargs is None else integer("ufunc", "nargs", nargs)
        if self.nin < 0 or self.nout < 0:
            raise refused("ufunc", "nin and nout", "0 or more", (nin, nout))
        if call is None:
            call = import_module("treadle_numpy.numpy.vectorizing").vectorize(func)
        else:
            functions("ufunc", call=call)
        self._call: Callable[..., Result] = call
        self.identity = identity
        wraps(func)(self)
        self.__name__: str = str(name or getattr(func, "__name__", "ufunc"))
        self.__qualname__ = self.__name__

    def __call__(self, *args: ArrayLike, out: object = None, where: object = None) -> Result:
        """Return the function of the elements of its arguments, broadcast against each other.

        Raises:
            UnsupportedError: `out` or `where` is given: arrays are never written to.
        """
        if out is not None or where is not None:
            named_only(self.__name__, out=out, where=where)
        return self._call(*args)

    def __reduce__(self) -> str:
        """By its name, as functions are pickled."""
        return self.__name__

    def __repr__(self) -> str:
        return f"<treadle.numpy.ufunc {self.__name__!r}>"

    def reduce(
        self,
        a: ArrayLike,
        axis: Axis = 0,
        dtype: DTypeLike | None = None,
        out: None = None,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: ArrayLike | None = None,
    ) -> Array:
        """Return the elements along an axis combined, from the first on: `f(f(x[0], x[1]), x[2])`.

        `axis` None combines all. `initial`, or the identity of the function, comes before the first.

        Raises:
            ArgumentError: the function has not two arguments and one result, or there is nothing to begin with.
            AxisError: there is no such axis.

        Example:
            >>> from treadle_numpy.numpy import add
            >>> import numpy as np
            >>> print(add.reduce(np.array([[1, 2], [3, 4]])))
            [4 6]
        """
        result: Array = _folding().reduce(self, a, axis, dtype, out, keepdims, initial, where)
        return result

    def accumulate(
        self, a: ArrayLike, axis: int = 0, dtype: DTypeLike | None = None, out: None = None
    ) -> Array:
        """Return all the intermediate results of `reduce`: at each place the elements up to it combined.

        Raises:
            ArgumentError: the function has not two arguments and one result.
            AxisError: there is no such axis.

        Example:
            >>> from treadle_numpy.numpy import multiply
            >>> import numpy as np
            >>> print(multiply.accumulate(np.array([1, 2, 3, 4])))
            [ 1  2  6 24]
        """
        result: Array = _folding().accumulate(self, a, axis, dtype, out)
        return result

    def reduceat(
        self,
        a: ArrayLike,
        indices: ArrayLike,
        axis: int = 0,
        dtype: DTypeLike | None = None,
        out: None = None,
    ) -> Array:
        """`reduce` of parts: from each index up to the next, the last to the end; where the next is not above, one
        element.

        Raises:
            ArgumentError: the indices are not a vector of integers, or the function does not have two arguments and
                one result.
            AxisError: there is no such axis.

        Example:
            >>> from treadle_numpy.numpy import add
            >>> import numpy as np
            >>> print(add.reduceat(np.arange(6), np.array([0, 3, 1])))
            [ 3  3 15]
        """
        result: Array = _folding().reduceat(self, a, indices, axis, dtype, out)
        return result

    def at(
        self,
        a: ArrayLike,
        indices: Tree,
        b: ArrayLike | None = None,
        /,
        *,
        inplace: bool = True,
    ) -> Array:
        """Return the array with the function applied at some places, one after the other; needs `inplace=False`.

        A place that is named twice is changed twice. Functions of one argument take no `b`. The result has the array's
        type, or the function's where the array's cannot hold it, as integers cannot hold logarithms; `add`, `subtract`
        and `multiply` keep the array's type.

        Raises:
            UnsupportedError: `inplace` is true.
            ArgumentError: `b` is missing, or there is one too many.

        Example:
            >>> from treadle_numpy.numpy import add
            >>> import numpy as np
            >>> print(add.at(np.zeros(3, np.int32), np.array([0, 2, 2]), 5, inplace=False))
            [ 5  0 10]
        """
        if b is not None:
            check_settings(f"{self.__name__}.at", a, b)
        result: Array = _folding().at(self, a, indices, b, inplace)
        return result

    def outer(self, A: ArrayLike, B: ArrayLike, /) -> Result:  # noqa: N803 - NumPy's names
        """Return the function of each element of the one with each of the other.

        Raises:
            ArgumentError: the function has not two arguments and one result.

        Example:
            >>> from treadle_numpy.numpy import multiply
            >>> import numpy as np
            >>> print(multiply.outer(np.array([1, 2]), np.array([1, 10])))
            [[ 1 10]
             [ 2 20]]
        """
        check_settings(f"{self.__name__}.outer", A, B)
        result: Result = _folding().outer(self, A, B)
        return result


def universal(
    function: Callable[..., Array], nin: int = 2, identity: ArrayLike | None = None
) -> ufunc[Array]:
    """Return a function of whole arrays as a ufunc."""
    return ufunc(function, nin, 1, identity=identity, call=function)


def frompyfunc(
    func: Callable[..., Tree], /, nin: int, nout: int, *, identity: ArrayLike | None = None
) -> ufunc[Tree]:
    """Return a function of single elements as a ufunc, with `reduce`, `accumulate`, `reduceat`, `at` and `outer`.

    Differs from NumPy: the function is traced, and results are arrays of numbers, not of objects.

    Raises:
        ArgumentError: it is not a function, or the numbers of arguments and results are not integers.

    Example:
        >>> import numpy as np
        >>> add_scaled = frompyfunc(lambda x, y: x + 2 * y, 2, 1)
        >>> print(add_scaled.accumulate(np.array([1, 10, 100])))
        [  1  21 221]
    """
    return ufunc(func, nin, nout, identity=identity)
