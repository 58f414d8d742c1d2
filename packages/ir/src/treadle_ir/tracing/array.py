"""Array, the type that users annotate.

treadle_ir defines no promotion, broadcasting or indexing, so what `x + y`, `x[i]` and `x.sum()` mean is
installed from above: `ports.install` puts the functions of a table on the class, once, where Python finds them
at the cost of an ordinary method. treadle_numpy provides the table; treadle_ir alone installs exact
arithmetic (`treadle_ir.ops`). Type checkers see them in `InstalledOperators`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from treadle_ir.core.dtypes import DType, is_key
from treadle_ir.core.promotion import scalar_type
from treadle_ir.core.sharding import Sharding, replicated
from treadle_ir.core.typed import Typed
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.core.values import Literal
from treadle_ir.errors.argument_checks import shown
from treadle_ir.errors.kinds import ArgumentError
from treadle_ir.errors.other_libraries import library
from treadle_ir.tracing.installed_operators import InstalledOperators
from treadle_ir.tracing.on_devices import OnDevices

BINARY: Final = (
    "add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift".split()  # noqa: SIM905
)
UNARY: Final = ("neg", "pos", "abs", "invert")


if TYPE_CHECKING:
    from treadle_ir.core.mesh import AbstractMesh, MeshAxes


class Array(Typed, InstalledOperators, OnDevices):
    """An array: a concrete array, with elements, or a tracer, which represents an array while a function is traced.

    It is the type for annotations: `def loss(w: treadle.Array) -> treadle.Array`. Functions make arrays, not the class.

    Example:
        >>> from treadle_ir import Array, stage
        >>> def shown(x: Array) -> list[Array]:
        ...     print(isinstance(x, Array), x.shape, x.dtype)
        ...     return [x]
        >>> staged = stage(shown, ArrayType((3,), np.dtype(np.float32)))
        True (3,) float32
    """

    __slots__ = ()
    __array_priority__ = 1000  # NumPy defers `ndarray + Array` to this class

    @property
    def __numpy_dtype__(self) -> DType:
        """The element type, for `np.dtype(x)`."""
        return self.type.dtype

    @property
    def nbytes(self) -> int:
        """The size of the elements in bytes."""
        return self.type.nbytes

    @property
    def itemsize(self) -> int:
        """The size of one element in bytes."""
        return self.type.dtype.itemsize

    def __treadle_host__(self) -> np.ndarray[Any, np.dtype[Any]] | None:
        """Return the elements, read-only, if the host has them now and the array is not committed to a device.

        Reading them does not wait, and a new array of them may replace this one.
        """
        return None

    def __treadle_sharding__(self, mesh: AbstractMesh) -> Sharding | None:
        """Return the sharding over the axes of `mesh`, replicated by default; None if the compiler decides."""
        return replicated(self.type.ndim, mesh)

    def __treadle_mesh__(self) -> MeshAxes | None:
        """Return the mesh over whose explicit axes the type shows a sharding, or None."""
        return None

    def __len__(self) -> int:
        if not self.type.shape:
            raise ArgumentError(
                "len() of an array without axes", fix="a scalar has no length; `x.size` is 1"
            )
        return self.type.shape[0]

    def __hash__(self) -> int:
        raise TypeError(
            f"unhashable type: {type(self).__name__!r} (arrays compare element by element, so they have no hash)"
        )


def no_first_axis(array: Array) -> ArgumentError:
    """Return the error for iteration over an array without axes."""
    if is_key(array.type.dtype):
        return ArgumentError(
            "iteration over a single random key", fix="split it first: `a, b = random.split(key)`"
        )
    return ArgumentError(
        "iteration over an array without axes",
        fix="`for` goes over the first axis; use the scalar itself",
    )


Operand: TypeAlias = Array | np.ndarray[Any, np.dtype[Any]] | np.generic | Literal
Operands: TypeAlias = Sequence[Operand]
Function: TypeAlias = Callable[..., Operands]  # flat operands in, flat operands out


def type_of(operand: object) -> ArrayType:
    """Return the type of an array, a NumPy array, or a Python or NumPy scalar (Python's are weak).

    Raises:
        ArgumentError: the operand is not one of these.
    """
    if isinstance(operand, Array):
        return operand.type
    if isinstance(operand, (np.ndarray, np.generic)):
        return ArrayType(operand.shape, operand.dtype)
    if isinstance(operand, (bool, int, float, complex)):
        return scalar_type(operand)
    if isinstance(operand, Literal):  # a weak one, which a NumPy scalar cannot represent
        return operand.type
    raise ArgumentError(
        f"{shown(operand)} of type {type(operand)} is not a valid {library()} type",
        fix="pass arrays, NumPy arrays or numbers; to hand over an object, mark it static or register it as a pytree",
    )


def types_of(operands: Sequence[object]) -> tuple[Type, ...]:
    """Return the types of several operands."""
    return tuple([type_of(operand) for operand in operands])
