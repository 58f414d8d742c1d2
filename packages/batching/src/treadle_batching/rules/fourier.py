"""Batch rule of Fourier transforms: the batch goes to the front, where it is one more axis that is not transformed."""

from __future__ import annotations

from treadle_batching.axis import Axis, Dims, WithDims
from treadle_batching.moving import move
from treadle_batching.registry import batch_rule
from treadle_batching.rules.shape import only_dim
from treadle_ir import Operands, bind, type_of
from treadle_ir.primitives.fourier import Fft


@batch_rule(Fft)
def fft_batch(primitive: Fft, axis: Axis, operands: Operands, dims: Dims) -> WithDims:
    """The batch stays where it is, unless it stands among the transformed axes."""
    (x,), dim = operands, only_dim(dims)
    if dim >= type_of(x).ndim - len(primitive.lengths):
        x, dim = move(x, dim, 0), 0
    return bind(primitive, x), [dim]
