"""The matrices of derivatives, pushed or pulled all at once by vectorisation."""

from __future__ import annotations

import functools

import treadle_autodiff
from treadle_batching import map_rows

jacfwd = functools.partial(treadle_autodiff.jacfwd, mapper=map_rows)
jacrev = functools.partial(treadle_autodiff.jacrev, mapper=map_rows)
hessian = functools.partial(treadle_autodiff.hessian, mapper=map_rows)
