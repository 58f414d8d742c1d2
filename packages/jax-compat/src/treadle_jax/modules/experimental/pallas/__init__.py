"""`jax.experimental.pallas`: ranges as indices, for haliax. There are no kernels."""

from __future__ import annotations

from typing import Final

from treadle import ds as ds

dslice = ds
Slice: Final = type(ds(0))
