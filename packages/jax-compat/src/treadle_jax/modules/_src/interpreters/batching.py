"""`jax._src.interpreters.batching`: what `vmap` maps over as a whole, for jaxoplanet; its tracers, for brainstate."""

from __future__ import annotations

from typing import Any

import treadle.numpy as tnp
from treadle import Array
from treadle_batching import (
    BatchTrace as BatchTrace,
    BatchTracer as BatchTracer,
    is_vmappable as is_vmappable,
)
from treadle_ir import UnsupportedError


def make_iota(axis_size: int) -> Array:
    """Return the numbers of the elements of a batch."""
    return tnp.arange(axis_size)


def to_elt(trace: BatchTrace, get_idx: object, x: Any, spec: int | None) -> Any:
    """Return one element of a batch, seen by `trace`: a tracer, or `x` itself where `spec` says that it has no batch.

    Raises:
        UnsupportedError: `x` is mapped over as a whole, as `register_vmappable` says of its class.
    """
    if spec is None:
        return x
    if is_vmappable(x):
        raise UnsupportedError(
            f"to_elt: {type(x)} is mapped over as a whole",
            fix="use `jax.vmap`, which knows its class",
        )
    return BatchTracer(trace, tnp.asarray(x), spec % tnp.ndim(x))
