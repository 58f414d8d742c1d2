"""Functions of single elements as ufuncs."""

from __future__ import annotations

from collections.abc import Callable

from treadle_numpy.numpy.ufuncs.universal import ufunc
from treadle_numpy.operands.coerce import ArrayLike
from treadle_numpy.operands.trees import Tree

__all__ = ["frompyfunc"]


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
