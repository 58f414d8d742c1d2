"""Views of references, `ref.at[index]`, `ref.T`, `ref.reshape(...)`: writes to a view change the reference."""

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
    """An indexing step: a part of an array."""

    index: Any  # Any: any index of arrays

    def of(self, x: Array) -> Array:
        """Return the part of an array."""
        return part(x, self.index)

    def put(self, x: Array, new: Array) -> Array:
        """Return the array with its part replaced."""
        return with_part(x, self.index, new)


@final
@frozen
class Transposed:
    """A transposing step: the axes of an array in another order."""

    permutation: tuple[int, ...]

    def of(self, x: Array) -> Array:
        """Return the array with its axes in that order."""
        return transpose(x, permutation=self.permutation)

    def put(self, x: Array, new: Array) -> Array:
        """Return the new elements with their axes in the original order."""
        return transpose(new, permutation=tuple([int(i) for i in np.argsort(self.permutation)]))


@final
@frozen
class Reshaped:
    """A reshaping step: the elements of an array in another shape."""

    shape: tuple[int, ...]

    def of(self, x: Array) -> Array:
        """Return the array in that shape."""
        return reshape(x, shape=self.shape)

    def put(self, x: Array, new: Array) -> Array:
        """Return the new elements in the original shape."""
        return reshape(new, shape=type_of(x).shape)


Step: TypeAlias = Indexed | Transposed | Reshaped


class Changeable:
    """A cell or a view of a cell: a leaf of arguments that may hold other arrays later.

    It is not an abstract class: each leaf of each staged call is tested, and `isinstance` takes five times as long for
    a class with a metaclass.
    """

    __slots__ = ()


class Viewed(ABC):
    """An object that is read and written like an array, and has views: a reference, or a view of a reference."""

    __slots__ = ()
    # By __getitem__ alone Python would iterate for ever: an index beyond the end is moved to the last element.
    __iter__: ClassVar[None] = None

    @property
    @abstractmethod
    def _type(self) -> ArrayType:
        """The type of the array."""

    @abstractmethod
    def _read(self) -> Array:
        """Return the array."""

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
        """The indexer: `ref.at[index]` is a view of a part, and writes to it change the reference.

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
    def T(self) -> TransformedRef:  # noqa: N802 - arrays have this name, too
        """A view with the axes in the opposite order."""
        return transposed(self, self.ndim, ())

    def transpose(self, *permutation: Any) -> TransformedRef:
        """Return a view with the axes in another order, by default the opposite one.

        Raises:
            ShapeError: the permutation does not name each axis once.
        """
        return transposed(self, self.ndim, permutation)

    def reshape(self, *shape: Any) -> TransformedRef:
        """Return a view of the elements in another shape, one size of which may be -1.

        Raises:
            ShapeError: the shape has another number of elements.
        """
        return reshaped(self, self.size, shape)

    def addupdate(self, x: Any, idx: Any = ...) -> None:
        """Add to the array, or to a part of it; indices that occur twice are added twice."""
        value = self._read()
        new = fitting("addupdate", type_of(value), type_of(part(value, idx)), x)
        self._write(with_added(value, idx, new))

    def __getitem__(self, index: Any) -> Array:  # Any: any index of arrays
        """Return the array, or a part of it.

        Raises:
            IndexingError: a position is beyond the ends of its axis, here and below.
        """
        return part(self._read(), index)

    def __setitem__(self, index: Any, x: Any) -> None:
        """Replace the array, or a part of it."""
        value = self._read()
        new = fitting("set", type_of(value), type_of(part(value, index)), x)
        self._write(new if selects_everything(index) else with_part(value, index, new))

    def __bool__(self) -> bool:
        """Return True, also if the array is empty: a reference is true, whatever it holds."""
        return True


@boundary
@final
@frozen
class RefIndexer:
    """The type of `ref.at`: `ref.at[index]` is a view of a part of the reference."""

    ref_or_view: Any  # Any: a reference or a view

    def __getitem__(self, index: Any) -> TransformedRef:
        """Return a view of a part; errors in the index are found now.

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

    It is read and written like a reference. Writes to it change the reference.

    Attributes:
        ref: the reference.
        transforms: the steps that are applied to its array, in order.

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
        """The abstract value of the part."""
        return AbstractRef(self._type)

    @property
    def what(self) -> str:
        """The words for it in messages."""
        return f"a view of a reference, {self.type}"

    def load(self) -> Array:
        """Return the array that the view shows now."""
        return self._read()

    def store(self, value: Any) -> None:  # Any: an array, or a number
        """Replace the array that the view shows."""
        self[...] = value

    def get(self, idx: Any = ()) -> Array:  # Any: any index of arrays, here and below
        """Return `view[idx]`."""
        return self[idx]

    def set(self, value: Any, idx: Any = ()) -> None:
        """Set `view[idx] = value`."""
        self[idx] = value

    def swap(self, value: Any, idx: Any = ()) -> Array:
        """Set `view[idx] = value` and return the previous elements."""
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
            f"a view of a reference, {self.type}, is not an array", fix="read it with `view[...]`"
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
        """Write the new part to each array that contains it, from the innermost out."""
        arrays = [self.ref[...]]
        for step in self.transforms[:-1]:
            arrays.append(step.of(arrays[-1]))
        for step, array in zip(reversed(self.transforms), reversed(arrays), strict=True):
            new = step.put(array, new)
        self.ref[...] = new


def viewed(ref: Any, step: Step) -> TransformedRef:
    """Return a view of a reference, or of a view, by one more step."""
    if isinstance(ref, TransformedRef):
        return TransformedRef(ref.ref, (*ref.transforms, step))
    return TransformedRef(ref, (step,))


def transposed(ref: Any, ndim: int, permutation: tuple[Any, ...]) -> TransformedRef:
    """Return a view with the axes in another order, by default the opposite one."""
    axes = integers("transpose of a reference", "permutation", _one_sequence(permutation))
    order = tuple([axis + ndim if axis < 0 else axis for axis in axes]) or tuple(range(ndim))[::-1]
    if sorted(order) != list(range(ndim)):
        raise ShapeError(
            f"transpose of a reference: {list(axes)} are not the {ndim} axes, each once",
            fix=f"give a permutation of {list(range(ndim))}",
        )
    return viewed(ref, Transposed(order))


def reshaped(ref: Any, size: int, shape: tuple[Any, ...]) -> TransformedRef:
    """Return a view of the elements in another shape, one size of which may be -1."""
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
    """Return the numbers, which are given one by one or as one sequence."""
    return given[0] if len(given) == 1 and isinstance(given[0], (tuple, list)) else given


def selects_everything(index: object) -> bool:
    """Return whether an index selects the complete array.

    Example:
        >>> selects_everything(...), selects_everything(()), selects_everything(0)
        (True, True, False)
    """
    return index is ... or (isinstance(index, tuple) and not index)


def part(value: Array, index: Any) -> Array:
    """Return a part of an array, whose positions must be within bounds.

    Raises:
        IndexingError: a position is out of bounds.
    """
    if selects_everything(index):
        return value
    check_positions(value.shape, index if isinstance(index, tuple) else (index,))
    return value[index]  # type: ignore[index, no-any-return]  # if it is installed


def with_part(value: Any, index: Any, new: Any) -> Array:
    """Return the array with a part replaced; NumPy's arrays, which this package uses on its own, have no `at`.

    Example:
        >>> print(with_part(np.zeros(3, np.int32), 1, 7))
        [0 7 0]
    """
    if isinstance(value, np.ndarray):
        written = value.copy()
        written[index] = new
        return written  # type: ignore[return-value]  # NumPy's array, which operations accept, too
    return value.at[index].set(new)  # type: ignore[no-any-return]


def with_added(value: Any, index: Any, new: Any) -> Array:
    """Return the array with `new` added to a part, as often as the index names an element.

    Example:
        >>> print(with_added(np.zeros(3, np.int32), [1, 1], 7))
        [ 0 14  0]
    """
    if isinstance(value, np.ndarray):
        written = value.copy()
        np.add.at(written, index, new)
        return written  # type: ignore[return-value]  # as above
    return value.at[index].add(new)  # type: ignore[no-any-return]
