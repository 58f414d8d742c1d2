"""The operator `x @ y`."""

from __future__ import annotations

from treadle_numpy.arrays.operators import forward, reflected
from treadle_numpy.numpy.contraction.products import matmul

times = forward("@", matmul)
times_reflected = reflected("@", matmul)
