"""Protocols of Python and of the array API that arrays take part in: `in`, `reversed`, `round`, the namespace."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from treadle_ir import ArgumentError, Array
from treadle_ir.core import default_dtype
from treadle_ir.errors import import_module, shown
from treadle_ir.tracing import Tracer
from treadle_numpy.arrays.methods import tobytes
from treadle_numpy.lax.joining import unstack
from treadle_numpy.numpy.array_api import __array_api_version__
from treadle_numpy.numpy.manipulation.conversion import astype
from treadle_numpy.numpy.manipulation.rearranging import flip
from treadle_numpy.numpy.reductions.logical import any
from treadle_numpy.numpy.ufuncs.logic import equal
from treadle_numpy.numpy.ufuncs.rounding import round
from treadle_numpy.operands.coerce import ArrayLike, coerce


def contains(self: Array, value: ArrayLike) -> bool:
    """Return whether an element is equal to the value.

    Raises:
        ArgumentError: the value is neither an array nor a scalar; ShapeError: they have no common shape.
    """
    return bool(any(equal(self, coerce("Array.__contains__", 0, value))))


def as_bytes(self: Array) -> bytes:
    """`bytes(x)`: the elements, in row-major order; of an integer of the user's, as many zeros, as Python has it."""
    original = self.original() if isinstance(self, Tracer) else self
    return bytes(original) if isinstance(original, int) else tobytes(self)


def backwards(self: Array) -> Iterator[Array]:
    """Return the parts along the first axis, from the last on."""
    return iter(unstack(flip(self, 0)))


def rounded(self: Array, ndigits: int | None = None) -> Array:
    """Rounded to a number of decimals, halves to even; to integers of the default type, where no number is given."""
    if ndigits is not None:
        return round(self, ndigits)
    return astype(round(self), default_dtype(int))


def array_namespace(self: Array, *, api_version: str | None = None) -> ModuleType:
    """Return the namespace of functions of arrays, as the array API asks for it.

    Raises:
        ArgumentError: a version of the standard is named that the namespace does not follow.
    """
    if api_version not in (None, __array_api_version__):
        raise ArgumentError(
            f"Array.__array_namespace__: version {shown(api_version)} of the array API is not available",
            fix=f"leave it out, or pass {__array_api_version__!r}",
        )
    return import_module("treadle_numpy.numpy")
