"""Arrays cut into parts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from treadle_ir import ArgumentError, Array
from treadle_ir.errors import sequence
from treadle_numpy.indexing.concrete import concrete_mask
from treadle_numpy.lax.joining import unstack as unstack
from treadle_numpy.lax.slicing import slice_along
from treadle_numpy.numpy.manipulation.shapes import ndim
from treadle_numpy.operands.arrays import Elements
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.coerce import ArrayLike, coerce_array
from treadle_numpy.operands.shapes import as_index

__all__ = ["array_split", "dsplit", "hsplit", "split", "unstack", "vsplit"]

Sections: TypeAlias = int | Sequence[int] | Array | Elements  # a number of parts, or where to cut


_MOST_SECTIONS: Final = 1 << 20


def _split(function: str, ary: ArrayLike, sections: Sections, axis: int, even: bool) -> list[Array]:
    x = coerce_array(function, 0, ary)
    place = as_axis(function, axis, x.ndim)
    length = x.shape[place]
    if isinstance(sections, (tuple, list)) or getattr(sections, "ndim", False):
        elements = sequence(
            function,
            "sections",
            concrete_mask(function, sections) if isinstance(sections, Array) else sections,
        )
        cuts = [as_index(function, "a section", i) for i in elements]
        points = [i + length if i < 0 else i for i in cuts]
        bounds = [0, *[min(max(p, 0), length) for p in points], length]
    else:
        count = as_index(function, "the number of sections", sections)
        if count <= 0:
            raise ArgumentError(f"{function}: the number of sections must be positive, got {count}")
        if count > _MOST_SECTIONS:
            raise ArgumentError(f"{function}: {count} sections are more than {_MOST_SECTIONS}")
        if even and length % count:
            raise ArgumentError(
                f"array split does not result in an equal division: {count} parts of an axis of size {length}",
                fix="use array_split, or give the split points",
            )
        step, extra = divmod(length, count)
        bounds = [i * step + min(i, extra) for i in range(count + 1)]
    return [slice_along(x, place, low, max(low, high)) for low, high in pairwise(bounds)]


def split(ary: ArrayLike, indices_or_sections: Sections, axis: int = 0) -> list[Array]:
    """Split an array along an axis.

    Args:
        ary: an array.
        indices_or_sections: the number of equal parts, or the positions at which to split.
        axis: the axis.

    Returns:
        A list of arrays.

    Example:
        >>> import numpy as np
        >>> [print(part) for part in split(np.arange(4), 2)]
        [0 1]
        [2 3]
        [None, None]
    """
    return _split("split", ary, indices_or_sections, axis, True)


def array_split(ary: ArrayLike, indices_or_sections: Sections, axis: int = 0) -> list[Array]:
    """Return the array cut into nearly equal parts, or at some positions, along an axis.

    Example:
        >>> import numpy as np
        >>> print(*array_split(np.arange(5), 2))
        [0 1 2] [3 4]
    """
    return _split("array_split", ary, indices_or_sections, axis, False)


def vsplit(ary: ArrayLike, indices_or_sections: Sections) -> list[Array]:
    """Apply `split` along the first axis.

    Example:
        >>> import numpy as np
        >>> print(vsplit(np.array([[1, 2], [3, 4]]), 2)[0])
        [[1 2]]
    """
    return _split("vsplit", ary, indices_or_sections, 0, True)


def hsplit(ary: ArrayLike, indices_or_sections: Sections) -> list[Array]:
    """Apply `split` along the second axis; a vector along its only axis.

    Example:
        >>> import numpy as np
        >>> print(hsplit(np.array([[1, 2], [3, 4]]), 2)[0])
        [[1]
         [3]]
    """
    return _split("hsplit", ary, indices_or_sections, 0 if ndim(ary) == 1 else 1, True)


def dsplit(ary: ArrayLike, indices_or_sections: Sections) -> list[Array]:
    """Apply `split` along the third axis.

    Example:
        >>> import numpy as np
        >>> print([x.shape for x in dsplit(np.ones((2, 2, 4)), 2)])
        [(2, 2, 2), (2, 2, 2)]
    """
    return _split("dsplit", ary, indices_or_sections, 2, True)
