"""What the formats of plain matrices share (COO, CSR, CSC): their class, the checks of their parts and operands."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar

import treadle_numpy as tnp
from treadle.experimental.sparse.base import JAXSparse
from treadle.experimental.sparse.bcoo import BCOO
from treadle.experimental.sparse.conversion import bcoo_fromdense
from treadle_ir import ArgumentError, Array, ShapeError, UnsupportedError
from treadle_ir.calling import as_array, operand_or_none
from treadle_ir.errors import flags, integers, refused

Shape: TypeAlias = tuple[int, ...]
"""The size of each axis."""


class Matrix(JAXSparse):
    """A sparse matrix of three vectors. It multiplies dense operands; for everything else there is `to_bcoo`."""

    __slots__ = ("_shape", "data")
    _shape: Shape

    @property
    def shape(self) -> Shape:
        """The numbers of rows and columns."""
        return self._shape

    @property
    def nse(self) -> int:
        """The number of elements that are stored."""
        return int(self.data.shape[0])

    @abstractmethod
    def to_bcoo(self) -> BCOO:
        """Return the same matrix with the coordinates of each element in one array."""

    def todense(self) -> Array:
        """Return the matrix with all its elements; elements with equal indices are added."""
        return self.to_bcoo().todense()

    def __matmul__(self, other: object) -> Any:
        return self.to_bcoo() @ dense_operand(self, other)

    def _refuse_axes(self, axes: object) -> None:
        if axes is not None:
            raise UnsupportedError(
                f"{type(self).__name__}.transpose: axes are given", fix="leave them out"
            )


Format = TypeVar("Format", bound=Matrix)


def checked_parts(
    name: str, parts: tuple[str, str, str], args: Any, shape: Sequence[int]
) -> tuple[list[Array], tuple[int, ...]]:
    """Return the three vectors of a matrix, data and two of indices, and its shape.

    Raises:
        ArgumentError: it is given no three arrays, or indices that are not integers.
        ShapeError: they are not vectors, data do not have one index each, or the shape does not have two axes.
    """
    if not isinstance(args, (tuple, list)) or len(args) != 3:
        raise refused(name, "args", f"three arrays `({', '.join(parts)})`", args)
    for part, each in zip(parts, args, strict=True):
        if operand_or_none(each) is None:
            raise refused(name, part, "an array", each)
    data, first, second = (as_array(each) for each in args)
    sizes = integers(name, "shape", shape)
    if len(sizes) != 2 or min(sizes) < 0:
        raise ShapeError(f"{name}: shape is {sizes}, but a matrix has two sizes")
    for part, each in zip(parts[1:], (first, second), strict=True):
        if each.dtype.kind not in "iu":
            raise ArgumentError(f"{name}: {part} is {each.type}, but must be integers")
    if not data.ndim == first.ndim == second.ndim == 1 or data.shape != first.shape:
        raise ShapeError(
            f"{name}: {', '.join(parts)} have shapes {data.shape}, {first.shape} and {second.shape}",
            fix=f"give vectors; {parts[0]} and {parts[1]} have one length",
        )
    return [data, first, second], sizes


def matrix_of(name: str, mat: Any, nse: int | None, index_dtype: Any) -> BCOO:
    """Return the BCOO of a dense matrix.

    Raises:
        ShapeError: it is not a matrix.
    """
    dense = tnp.asarray(mat)
    if dense.ndim != 2:
        raise ShapeError(f"{name}: a matrix is wanted, got {dense.type}")
    return bcoo_fromdense(dense, nse=nse, index_dtype=index_dtype)


def of_format(function: str, wanted: type[Format], mat: object) -> Format:
    """Return the argument, which must be a matrix of a format."""
    if not isinstance(mat, wanted):
        raise refused(function, "mat", f"a {wanted.__name__}", mat)
    return mat


def dense_operand(mat: JAXSparse, other: object, ndim: int | None = None) -> Array:
    """Return the dense vector or matrix with which a matrix is multiplied.

    Raises:
        UnsupportedError: it is sparse.
        ShapeError: it has other axes.
    """
    name = type(mat).__name__
    if isinstance(other, JAXSparse):
        raise UnsupportedError(
            f"{name}: the product of two sparse matrices is not there",
            fix="multiply BCOOs: `x.to_bcoo() @ y.to_bcoo()`",
        )
    dense: Array = tnp.asarray(other)
    if dense.ndim not in ((1, 2) if ndim is None else (ndim,)):
        raise ShapeError(f"{name}: a dense vector or matrix is wanted, got {dense.type}")
    return dense


def product(
    function: str, wanted: type[Matrix], mat: object, other: object, ndim: int, transpose: bool
) -> Array:
    """Return the product of a matrix of a format, or of its transpose, with a dense operand of `ndim` axes."""
    flags(function, transpose=transpose)
    found = of_format(function, wanted, mat)
    result: Array = (found.T if transpose else found) @ dense_operand(found, other, ndim)
    return result
