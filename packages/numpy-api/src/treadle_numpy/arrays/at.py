"""`x.at[index]`: which elements to update, and how."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, final

from treadle_ir import ArgumentError, Array, ops
from treadle_ir.core.dtypes import is_bool
from treadle_ir.errors import boundary, flags, functions
from treadle_ir.primitives.indexing import FillValue
from treadle_numpy.indexing.entries import read_index
from treadle_numpy.indexing.modes import IndexMode, gather_mode
from treadle_numpy.indexing.reading import getitem, take_entries
from treadle_numpy.indexing.slices import part_of
from treadle_numpy.indexing.strategies import check_strategy
from treadle_numpy.indexing.unwrapped import unwrapped
from treadle_numpy.indexing.writing import How, ScatterInstruction, update
from treadle_numpy.numpy.ufuncs.arithmetic import divide, negative
from treadle_numpy.numpy.ufuncs.powers import power
from treadle_numpy.operands.arrays import filled
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array, operand_type
from treadle_numpy.operands.devices import Device
from treadle_numpy.operands.out_sharding import with_out_sharding
from treadle_numpy.operands.promote import as_weak, converted


@boundary
@final
class Updates:
    """What `x.at` gives: `x.at[index]` names the elements to update.

    Example:
        >>> import treadle_numpy as tnp
        >>> print(at(tnp.zeros(3))[1].set(5.0))
        [0. 5. 0.]
    """

    __slots__ = ("_array",)

    def __init__(self, array: Array) -> None:
        self._array = array

    @property
    def array(self) -> Array:
        """The array whose elements are to be updated."""
        return self._array

    def __getitem__(self, index: object) -> UpdatesAt:
        return UpdatesAt(self._array, index)

    def __setitem__(self, index: object, value: object) -> NoReturn:
        raise ArgumentError(
            "x.at[i] = y changes nothing: arrays are immutable", fix="write x = x.at[i].set(y)"
        )

    def __getattr__(self, name: str) -> NoReturn:
        if hasattr(UpdatesAt, name):
            raise AttributeError(
                f"x.at has no {name!r} before it has an index: write x.at[i].{name}(...), or x.at[...].{name}(...)",
                name=name,
            )
        raise AttributeError(f"x.at has no attribute {name!r}: write x.at[i].set(y)", name=name)

    def __repr__(self) -> str:
        return f"Updates({self._array!r})"


def at(x: ArrayLike) -> Updates:
    """`x.at` as a function, for arrays of NumPy too."""
    return Updates(coerce_array("at", 0, x))


def _updated(
    out_sharding: Device, how: How, at: UpdatesAt, values: ArrayLike, wraps: bool
) -> Array:
    """Return the array with values combined into it, with the sharding `out_sharding`."""
    index = at._positions(wraps)
    if out_sharding is None:
        return update(how, at._array, index, values)
    return with_out_sharding(update, out_sharding, how, at._array, index, values)


def _method(name: str, instruction: ScatterInstruction, doc: str) -> Callable[..., Array]:
    """Return a method that combines values into the elements by one instruction of the scatter family."""

    def method(
        self: UpdatesAt,
        values: ArrayLike,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: IndexMode = None,
        wrap_negative_indices: bool = True,
        out_sharding: Device = None,
    ) -> Array:
        how = How(instruction, mode, indices_are_sorted, unique_indices)
        return _updated(out_sharding, how, self, values, wrap_negative_indices)

    method.__name__ = name
    method.__qualname__ = f"UpdatesAt.{name}"
    method.__doc__ = doc
    return method


@boundary
@final
class UpdatesAt:
    """What `x.at[index]` gives: its methods return the array with the elements there updated.

    Negative positions count from the end, or are out of range with `wrap_negative_indices=False`. `mode` is what
    happens to positions out of range: "drop" (the default; "fill" means the same), "clip", or "promise_in_bounds".
    `indices_are_sorted` and `unique_indices` are promises that may make it faster, about positions that all count from
    the start. `out_sharding` is the sharding of the result over a mesh, where explicit axes leave it open: see
    `reshard`.
    """

    __slots__ = ("_array", "_index")

    def __init__(self, array: Array, index: object) -> None:
        self._array = array
        self._index = index

    @property
    def array(self) -> Array:
        """The array whose elements are to be updated."""
        return self._array

    @property
    def index(self) -> object:
        """Which elements are to be updated, as it was given."""
        return self._index

    def _positions(self, wraps: bool) -> object:
        """Return the index expression, of which negative positions count from the end or are beyond the axis."""
        flags("x.at[...]", wrap_negative_indices=wraps)
        return self._index if wraps else unwrapped(self._array.shape, self._index)

    def __repr__(self) -> str:
        return f"UpdatesAt({self._array!r}, {self._index!r})"

    def get(
        self,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: IndexMode = None,
        fill_value: FillValue = None,
        wrap_negative_indices: bool = True,
        out_sharding: Device = None,
        strategy: str = "auto",
    ) -> Array:
        """Return the elements, as `x[index]`, with a choice of what stands for positions out of range.

        `strategy` says which indices are allowed: "auto" and "gather" take all of them, "static_slice" positions and
        ranges that are known, "dynamic_slice" single positions and ranges without gaps.
        """
        if strategy.__class__ is not str or strategy != "auto":  # an array is not a word
            check_strategy(strategy, self._array.shape, self._index, mode, wrap_negative_indices)
        x, index = self._array, self._positions(wrap_negative_indices)
        part = part_of(x, index)
        if part is not None:
            x, index = part.array, part.index
        entries = read_index(x.shape, index)
        flags("x.at[...].get", indices_are_sorted=indices_are_sorted, unique_indices=unique_indices)
        how = gather_mode(mode, "clip"), fill_value, indices_are_sorted, unique_indices
        if out_sharding is not None:
            return with_out_sharding(take_entries, out_sharding, x, entries, *how)
        return take_entries(x, entries, *how)

    set = _method("set", ops.scatter, "Return the array with other values there.")
    add = _method(
        "add",
        ops.scatter_add,
        "Return the array with values added there; each time for positions that are named more than once.",
    )
    multiply = mul = _method(
        "multiply", ops.scatter_multiply, "Return the array multiplied by values there."
    )
    min = _method(
        "min",
        ops.scatter_minimum,
        "Return the array with the lesser of its elements and values there.",
    )
    max = _method(
        "max",
        ops.scatter_maximum,
        "Return the array with the greater of its elements and values there.",
    )

    def subtract(
        self,
        values: ArrayLike,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: IndexMode = None,
        wrap_negative_indices: bool = True,
        out_sharding: Device = None,
    ) -> Array:
        """Return the array with values subtracted there."""
        how = How(ops.scatter_add, mode, indices_are_sorted, unique_indices)
        operand = coerce("x.at[...].subtract", 1, values)
        if is_bool(operand.dtype) and not is_bool(self._array.dtype):
            operand = converted(operand, self._array.dtype)
        return _updated(out_sharding, how, self, negative(operand), wrap_negative_indices)

    def divide(
        self,
        values: ArrayLike,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: IndexMode = None,
        wrap_negative_indices: bool = True,
        out_sharding: Device = None,
    ) -> Array:
        """Return the array divided by values there; of floating numbers, as every quotient is."""
        if out_sharding is not None:
            return with_out_sharding(
                self.divide,
                out_sharding,
                values,
                indices_are_sorted=indices_are_sorted,
                unique_indices=unique_indices,
                mode=mode,
                wrap_negative_indices=wrap_negative_indices,
            )
        x, index = self._array, self._positions(wrap_negative_indices)
        how = How(ops.scatter_multiply, mode, indices_are_sorted, unique_indices)
        return divide(x, update(how, _ones_like(x), index, values))

    def power(
        self,
        values: ArrayLike,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: IndexMode = None,
        wrap_negative_indices: bool = True,
        out_sharding: Device = None,
    ) -> Array:
        """Return the array raised to powers there."""
        if out_sharding is not None:
            return with_out_sharding(
                self.power,
                out_sharding,
                values,
                indices_are_sorted=indices_are_sorted,
                unique_indices=unique_indices,
                mode=mode,
                wrap_negative_indices=wrap_negative_indices,
            )
        x, index = self._array, self._positions(wrap_negative_indices)
        how = How(ops.scatter_multiply, mode, indices_are_sorted, unique_indices)
        return power(x, update(how, _ones_like(x), index, values))

    def apply(
        self,
        func: Callable[[Array], ArrayLike],
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: IndexMode = None,
        wrap_negative_indices: bool = True,
    ) -> Array:
        """Return the array with an elementwise function applied there, once also to positions named more than once."""
        functions("x.at[...].apply", func=func)
        x, index = self._array, self._positions(wrap_negative_indices)
        how = How(ops.scatter, mode, indices_are_sorted, unique_indices)
        return update(how, x, index, func(getitem(x, index)))


def _ones_like(x: Array) -> Array:
    ones = filled(x.shape, x.dtype.type(1))
    return as_weak(ones) if operand_type(x).weak else ones
