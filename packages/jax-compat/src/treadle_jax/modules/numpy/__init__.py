"""Element types of `jax.numpy` that treadle has no arrays of, and flax has in tables: ml_dtypes' classes."""

from __future__ import annotations

from typing import Any

import ml_dtypes

import treadle.numpy as tnp

_NARROW = ("float8", "float6", "float4", "int2", "uint2", "int4", "uint4")


def __getattr__(name: str) -> Any:  # Any: a class of ml_dtypes
    if name.startswith(_NARROW) and not hasattr(tnp, name):
        return getattr(ml_dtypes, name)
    raise AttributeError(name)
