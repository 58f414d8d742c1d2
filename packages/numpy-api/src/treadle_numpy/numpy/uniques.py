"""The distinct elements as the array API asks for them: four functions, results by name, no NaN equal to another."""

from __future__ import annotations

from typing import NamedTuple

from treadle_ir import Array
from treadle_numpy.numpy.sets import unique
from treadle_numpy.operands.coerce import ArrayLike

__all__ = ["unique_all", "unique_counts", "unique_inverse", "unique_values"]


class UniqueAllResult(NamedTuple):
    """What `unique_all` returns."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """What `unique_counts` returns."""

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    """What `unique_inverse` returns."""

    values: Array
    inverse_indices: Array


def unique_all(
    x: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> UniqueAllResult:
    """Return the distinct elements, where each first stands in the flat array, which one each element is, and how
    often.

    Constraints:
        While tracing, `size` must say how many there are at most; places that are left hold `fill_value` (the least
        element).

    Raises:
        ConcretizationError: while tracing, without `size`.

    Example:
        >>> import numpy as np
        >>> found = unique_all(np.array([3, 1, 3]))
        >>> print(found.values, found.indices, found.inverse_indices, found.counts)
        [1 3] [1 0] [1 0 1] [1 2]
    """
    found = unique(x, True, True, True, equal_nan=False, size=size, fill_value=fill_value)
    values, indices, inverse, counts = found
    return UniqueAllResult(values, indices, inverse, counts)


def unique_counts(
    x: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> UniqueCountsResult:
    """Return the distinct elements, and how often each occurs; `size` and errors are as for `unique_all`.

    Example:
        >>> import numpy as np
        >>> found = unique_counts(np.array([3, 1, 3]))
        >>> print(found.values, found.counts)
        [1 3] [1 2]
    """
    values, counts = unique(
        x, return_counts=True, equal_nan=False, size=size, fill_value=fill_value
    )
    return UniqueCountsResult(values, counts)


def unique_inverse(
    x: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> UniqueInverseResult:
    """Return the distinct elements, and which of them each element is; `size` and errors are as for `unique_all`.

    Example:
        >>> import numpy as np
        >>> found = unique_inverse(np.array([3, 1, 3]))
        >>> print(found.values, found.inverse_indices)
        [1 3] [1 0 1]
    """
    values, inverse = unique(
        x, return_inverse=True, equal_nan=False, size=size, fill_value=fill_value
    )
    return UniqueInverseResult(values, inverse)


def unique_values(
    x: ArrayLike, /, *, size: int | None = None, fill_value: ArrayLike | None = None
) -> Array:
    """Return the distinct elements; `size` and errors are as for `unique_all`.

    Example:
        >>> import numpy as np
        >>> print(unique_values(np.array([3, 1, 3])))
        [1 3]
    """
    return unique(x, equal_nan=False, size=size, fill_value=fill_value)
