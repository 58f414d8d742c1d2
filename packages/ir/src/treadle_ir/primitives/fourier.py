"""Discrete Fourier transforms of the last axes.

    fft(x, *, kind, lengths)

Along each of the last one to three axes, element k of the result of "fft" is the sum over j of
x_j exp(-2 pi i j k / n). "ifft" is its inverse: the exponent has the opposite sign, and the sum is divided by n.
The transform of real numbers has the symmetry that element n - k is the conjugate of element k; so "rfft" computes only
the elements 0 to n // 2 along the last axis, and "irfft", its inverse, takes only these. "irfft" ignores the
imaginary part of an element that the symmetry makes real.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Literal, TypeAlias, final, get_args

from treadle_ir.core.dtypes import BY_NAME, complex_of, dtype_name, is_complex, real_part
from treadle_ir.core.primitive import Primitive, check_word
from treadle_ir.core.registry import register
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import DTypeError, ShapeError
from treadle_ir.primitives.shape import array_operand
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind

FftKind: TypeAlias = Literal["fft", "ifft", "rfft", "irfft"]
_KINDS: Final = get_args(FftKind)
_REAL: Final = (BY_NAME["f32"], BY_NAME["f64"])


@register
@final
@frozen
class Fft(Primitive):
    """The discrete Fourier transform of the last axes, or its inverse.

    Shapes:
        x: [*batch, *lengths]; of "irfft": [*batch, *lengths[:-1], lengths[-1] // 2 + 1]
        result: [*batch, *lengths]; of "rfft": [*batch, *lengths[:-1], lengths[-1] // 2 + 1]

    Constraints:
        (C1) kind is one of "fft", "ifft", "rfft", "irfft"
        (C2) there are one to three lengths, not more than the operand has axes, and its last axes have matching sizes
        (C3) the operand is f32 or f64 for "rfft", else c64 or c128

    Raises:
        ArgumentError: C1.
        ShapeError: C2.
        DTypeError: C3.

    Source: StableHLO specification, `fft`.
    """

    name: ClassVar[str] = "fft"
    may_alias: ClassVar[bool] = False
    kind: FftKind
    lengths: tuple[int, ...]

    def __post_init__(self) -> None:
        check_word(self.name, "kind", self.kind, _KINDS)  # C1

    @property
    def axes(self) -> tuple[int, ...]:
        """The transformed axes, counted from the end."""
        return tuple(range(-len(self.lengths), 0))

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return complex numbers, or real ones for "irfft"; "rfft" halves the last axis and "irfft" restores it."""
        x = array_operand(self.name, operands[0])
        rank = len(self.lengths)
        if not 1 <= rank <= 3 or rank > x.ndim:  # C2
            raise ShapeError(
                f"fft: the lengths {self.lengths} are for {rank} axes of {x}, but between 1 and 3 are transformed",
                fix="name at most three axes that there are; transform further axes by a second fft",
            )
        half = (*self.lengths[:-1], self.lengths[-1] // 2 + 1 if self.lengths[-1] else 0)
        expected = half if self.kind == "irfft" else self.lengths
        if x.shape[-rank:] != expected:
            raise ShapeError(
                f"fft: the last axes of {x} have sizes {x.shape[-rank:]}, but {self.kind} of lengths {self.lengths} "
                f"takes {expected}",
                fix="pad or cut the operand first, as the functions of treadle.numpy.fft do",
            )
        wanted = x.dtype in _REAL if self.kind == "rfft" else is_complex(x.dtype)
        if not wanted:  # C3
            raise DTypeError(
                f"fft: {self.kind} takes {'f32 or f64' if self.kind == 'rfft' else 'c64 or c128'}, "
                f"got {dtype_name(x.dtype)}",
                fix="convert the operand first",
            )
        dtype = x.dtype
        if self.kind == "rfft":
            dtype = complex_of(dtype)
        elif self.kind == "irfft":
            dtype = real_part(dtype)
        shape = half if self.kind == "rfft" else self.lengths
        return (ArrayType((*x.shape[:-rank], *shape), dtype),)


def fft(x: Operand, *, kind: FftKind, lengths: Sequence[int]) -> Array:
    """Return the discrete Fourier transform of the last axes, or its inverse: see `Fft`."""
    return bind(Fft(kind, tuple(lengths)), x)[0]
