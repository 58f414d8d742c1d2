"""NumPy kernels of Fourier transforms: numpy.fft, which computes in the operand's precision."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from treadle_ir.core.types import ArrayType
from treadle_ir.core.typing import inferred
from treadle_ir.primitives.fourier import Fft, FftKind
from treadle_ir.reference.registry import Elements, eval_rule

# Any: NumPy declares many signatures for each.
_ONE_AXIS: Final[dict[FftKind, Any]] = {
    "fft": np.fft.fft,
    "ifft": np.fft.ifft,
    "rfft": np.fft.rfft,
    "irfft": np.fft.irfft,
}
_SEVERAL_AXES: Final[dict[FftKind, Any]] = {
    "fft": np.fft.fftn,
    "ifft": np.fft.ifftn,
    "rfft": np.fft.rfftn,
    "irfft": np.fft.irfftn,
}


@eval_rule(Fft)
def fft_eval(primitive: Fft, x: Elements) -> list[Elements]:
    """Compute NumPy's transform; where there is nothing to transform, which NumPy refuses, an empty array."""
    if x.size == 0:
        (type,), _ = inferred(primitive, (ArrayType(x.shape, x.dtype),))
        assert isinstance(type, ArrayType)
        return [np.zeros(type.shape, type.dtype)]
    lengths = primitive.lengths
    if len(lengths) == 1:  # on short vectors faster by a quarter
        return [np.asarray(_ONE_AXIS[primitive.kind](x, lengths[0]))]
    return [np.asarray(_SEVERAL_AXES[primitive.kind](x, lengths, primitive.axes))]
