"""Views of references, `ref.at[index]`, `ref.T`, `ref.reshape(...)`: what is written to one stands in the reference."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Final, NoReturn, TypeAlias, final

import numpy as np

from treadle_ir.core.types import ArrayType
from treadle_ir.errors.argument_checks import integers
from treadle_ir.errors.kinds import ArgumentError, ShapeError
from treadle_ir.errors.tracebacks import boundary
from treadle_ir.primitives.shape import reshape, transpose
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.refs.abstract_ref import AbstractRef
from treadle_ir.refs.writes import check_positions, fitting
from treadle_ir.tracing.array import Array, type_of


@final
@frozen
class Indexed:
    """A part of an array."""

    index: Any  # Any: whatever arrays take

    def of(self, x: Array) -> Array:
        """The part."""
        return part(x, self.index)

    def put(self, x: Array, new: Array) -> Array:
        """The array with another part in its place."""
        return with_part(x, self.index, new)


@final
@frozen
class Transposed:
    """The axes of an array in another order."""

    permutation: tuple[int, ...]

    def of(self, x: Array) -> Array:
        """The array with its axes in that order."""
        return transpose(x, permutation=self.permutation)

    def put(self, x: Array, new: Array) -> Array:
        """The new elements with their axes in the order of before."""
        return transpose(new, permutation=tuple([int(i) for i in np.argsort(self.permutation)]))


@final
@frozen
class Reshaped:
    """The elements of an array in another shape."""

    shape: tuple[int, ...]

    def of(self, x: Array) -> Array:
        """The array in that shape."""
        return reshape(x, shape=self.shape)

    def put(self, x: Array, new: Array) -> Array:
        """The new elements in the shape of before."""
        return reshape(new, shape=type_of(x).shape)


Step: TypeAlias = Indexed | Transposed | Reshaped


class Changeable:
    """A cell or a view of one: a leaf of arguments that may hold other arrays later.

    No abstract class: each leaf of each call that is staged is asked, and `isinstance` takes five times as long where
    a class has a metaclass.
    """

    __slots__ = ()


class Viewed(ABC):
    """What is read and written like an array in a cell, and has views: a reference, or a view of one."""

    __slots__ = ()
    # By __getitem__ alone Python would iterate for ever: an index beyond the end is moved to the last element.
    __iter__: ClassVar[None] = None

    @property
    @abstractmethod
    def _type(self) -> ArrayType:
        """The type of the array."""

    @abstractmethod
    def _read(self) -> Array:
        """The array."""

    @abstractmethod
    def _write(self, value: Array, /) -> None:
        """Replace the array by another of its type."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each axis."""
        return self._type.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type."""
        return self._type.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._type.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._type.size

    @property
    def at(self) -> RefIndexer:
        """`ref.at[index]` is a view of a part: what is written to it stands in the reference.

        Example:
            >>> import numpy as np
            >>> from treadle_ir.refs import new_ref
            >>> ref = new_ref(np.zeros(3, np.float32))
            >>> ref.at[1:][...] = np.ones(2, np.float32)
            >>> print(ref[...])
            [0. 1. 1.]
        """
        return RefIndexer(self)

    @property
    def T(self) -> TransformedRef:  # noqa: N802 - as of arrays
        """A view with the axes in the opposite order."""
        return transposed(self, self.ndim, ())

    def transpose(self, *permutation: Any) -> TransformedRef:
        """A view with the axes in another order, the opposite one unless it is given.

        Raises:
            ShapeError: it does not name each axis once.
        """
        return transposed(self, self.ndim, permutation)

    def reshape(self, *shape: Any) -> TransformedRef:
        """A view of the elements in another shape, one size of which may be -1.

        Raises:
            ShapeError: it has not as many elements.
        """
        return reshaped(self, self.size, shape)

    def addupdate(self, x: Any, idx: Any = ...) -> None:
        """Add to the array, or to a part of it; indices that come twice are added twice."""
        value = self._read()
        new = fitting("addupdate", type_of(value), type_of(part(value, idx)), x)
        self._write(with_added(value, idx, new))

    def __getitem__(self, index: Any) -> Array:  # Any: whatever arrays take
        """The array, or a part of it.

        Raises:
            IndexingError: a position is beyond the ends of its axis, here and below.
        """
        return part(self._read(), index)

    def __setitem__(self, index: Any, x: Any) -> None:
        """Replace the array, or a part of it."""
        value = self._read()
        new = fitting("set", type_of(value), type_of(part(value, index)), x)
        self._write(new if is_whole(index) else with_part(value, index, new))

    def __bool__(self) -> bool:
        """True, also of an empty array: it is a reference, not what it holds."""
        return True


@boundary
@final
@frozen
class RefIndexer:
    """What `ref.at` is: `ref.at[index]` is a view of a part of the reference."""

    ref_or_view: Any  # Any: a reference or a view

    def __getitem__(self, index: Any) -> TransformedRef:
        """A view of a part; what can be wrong with the index is found now.

        Raises:
            IndexingError: a position is beyond the ends of its axis.
        """
        view = viewed(self.ref_or_view, Indexed(index))
        view._read()
        return view


@boundary
@final
class TransformedRef(Changeable, Viewed):
    """A view of a reference: a part, its axes in another order, its elements in another shape, one after the other.

    It is read and written as a reference is. What is written to it stands in the reference.

    Attributes:
        ref: the reference.
        transforms: what is done to its array, in order.

    Example:
        >>> import numpy as np
        >>> from treadle_ir.refs import new_ref
        >>> ref = new_ref(np.zeros((2, 3), np.float32))
        >>> row = ref.at[1]
        >>> print(row[0], row.shape)
        0.0 (3,)
        >>> row.at[1:][...] = np.ones(2, np.float32)
        >>> print(ref[...])
        [[0. 0. 0.]
         [0. 1. 1.]]
    """

    __slots__ = ("ref", "transforms")
    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # indices may be arrays

    def __init__(self, ref: Viewed, transforms: Sequence[Step]) -> None:
        self.ref: Final = ref
        self.transforms: Final = tuple(transforms)

    @property
    def type(self) -> AbstractRef:
        """What is known of the part."""
        return AbstractRef(self._type)

    @property
    def what(self) -> str:
        """What it is, for messages."""
        return f"a view of a reference, {self.type}"

    def load(self) -> Array:
        """The array that the view shows now."""
        return self._read()

    def store(self, value: Any) -> None:  # Any: an array, or a number
        """Replace the array that the view shows."""
        self[...] = value

    def get(self, idx: Any = ()) -> Array:  # Any: whatever arrays take as an index, here and below
        """`view[idx]`."""
        return self[idx]

    def set(self, value: Any, idx: Any = ()) -> None:
        """`view[idx] = value`."""
        self[idx] = value

    def swap(self, value: Any, idx: Any = ()) -> Array:
        """`view[idx] = value`, and what was there before."""
        before = self[idx]
        self[idx] = value
        return before

    def __len__(self) -> int:
        """The size of the first axis."""
        if not self.ndim:
            raise TypeError("len() of a view of a scalar")
        return self.shape[0]

    def __array__(self, *_: object, **__: object) -> NoReturn:
        raise ArgumentError(
            f"a view of a reference, {self.type}, is no array", fix="read it with `view[...]`"
        )

    def __repr__(self) -> str:
        return f"TransformedRef(ref={self.ref!r}, transforms={self.transforms!r})"

    @property
    def _type(self) -> ArrayType:
        return type_of(self._read())

    def _read(self) -> Array:
        value = self.ref[...]
        for step in self.transforms:
            value = step.of(value)
        return value

    def _write(self, new: Array, /) -> None:
        """Put the new part into each array that it is a part of, from the innermost out."""
        arrays = [self.ref[...]]
        for step in self.transforms[:-1]:
            arrays.append(step.of(arrays[-1]))
        for step, array in zip(reversed(self.transforms), reversed(arrays), strict=True):
            new = step.put(array, new)
        self.ref[...] = new


def viewed(ref: Any, step: Step) -> TransformedRef:
    """A view of a reference, or of a view."""
    if isinstance(ref, TransformedRef):
        return TransformedRef(ref.ref, (*ref.transforms, step))
    return TransformedRef(ref, (step,))


def transposed(ref: Any, ndim: int, permutation: tuple[Any, ...]) -> TransformedRef:
    """A view with the axes in another order, the opposite one unless it is given."""
    axes = integers("transpose of a reference", "permutation", _one_sequence(permutation))
    order = tuple([axis + ndim if axis < 0 else axis for axis in axes]) or tuple(range(ndim))[::-1]
    if sorted(order) != list(range(ndim)):
        raise ShapeError(
            f"transpose of a reference: {list(axes)} are not the {ndim} axes, each once",
            fix=f"give a permutation of {list(range(ndim))}",
        )
    return viewed(ref, Transposed(order))


def reshaped(ref: Any, size: int, shape: tuple[Any, ...]) -> TransformedRef:
    """A view of the elements in another shape, one size of which may be -1."""
    sizes = integers("reshape of a reference", "shape", _one_sequence(shape))
    known = math.prod([each for each in sizes if each != -1])
    if sizes.count(-1) == 1 and known and size % known == 0:
        sizes = tuple([size // known if each == -1 else each for each in sizes])
    if math.prod(sizes) != size or min(sizes, default=0) < 0:
        raise ShapeError(
            f"reshape of a reference: {size} elements do not have the shape {list(sizes)}",
            fix="give sizes whose product is the number of elements",
        )
    return viewed(ref, Reshaped(sizes))


def _one_sequence(given: tuple[Any, ...]) -> Any:
    """The numbers, given one by one or as one sequence."""
    return given[0] if len(given) == 1 and isinstance(given[0], (tuple, list)) else given


def is_whole(index: object) -> bool:
    """Whether an index is one for all of an array.

    Example:
        >>> is_whole(...), is_whole(()), is_whole(0)
        (True, True, False)
    """
    return index is ... or (isinstance(index, tuple) and not index)


def part(value: Array, index: Any) -> Array:
    """A part of an array, whose position is not beyond the ends.

    Raises:
        IndexingError: it is.
    """
    if is_whole(index):
        return value
    check_positions(value.shape, index if isinstance(index, tuple) else (index,))
    return value[index]  # type: ignore[index, no-any-return]  # if it is installed


def with_part(value: Any, index: Any, new: Any) -> Array:
    """An array with another part; NumPy's arrays, which are all that this package alone works with, have no `at`.

    Example:
        >>> print(with_part(np.zeros(3, np.int32), 1, 7))
        [0 7 0]
    """
    if isinstance(value, np.ndarray):
        written = value.copy()
        written[index] = new
        return written  # type: ignore[return-value]  # NumPy's, which operations take as they take ours
    return value.at[index].set(new)  # type: ignore[no-any-return]


def with_added(value: Any, index: Any, new: Any) -> Array:
    """An array with something added to a part, as often as the index names an element.

    Example:
        >>> print(with_added(np.zeros(3, np.int32), [1, 1], 7))
        [ 0 14  0]
    """
    if isinstance(value, np.ndarray):
        written = value.copy()
        np.add.at(written, index, new)
        return written  # type: ignore[return-value]  # as above
    return value.at[index].add(new)  # type: ignore[no-any-return]
