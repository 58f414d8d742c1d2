"""Names of `jax.core` that JAX answers for without listing them, since they have moved: older libraries use them."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle import typeof
from treadle.core import Tracer
from treadle.export import is_symbolic_dim
from treadle.extend.core import (
    DebugInfo as DebugInfo,
    DropVar as DropVar,
    Effect as Effect,
    Effects as Effects,
    InconclusiveDimensionOperation as InconclusiveDimensionOperation,
    JaxprTypeError as JaxprTypeError,
    check_jaxpr as check_jaxpr,
    concrete_or_error as concrete_or_error,
    find_top_trace as find_top_trace,
    gensym as gensym,
    get_opaque_trace_state as get_opaque_trace_state,
    jaxprs_in_params as jaxprs_in_params,
    new_jaxpr_eqn as new_jaxpr_eqn,
    primal_dtype_to_tangent_dtype as primal_dtype_to_tangent_dtype,
    unsafe_am_i_under_a_jit_DO_NOT_USE as unsafe_am_i_under_a_jit_DO_NOT_USE,
    unsafe_am_i_under_a_vmap_DO_NOT_USE as unsafe_am_i_under_a_vmap_DO_NOT_USE,
    unsafe_get_axis_names_DO_NOT_USE as unsafe_get_axis_names_DO_NOT_USE,
    valid_jaxtype as valid_jaxtype,
)
from treadle_ir.core import PURE
from treadle_ir.tracing import KnownTracer

no_effects: Effects = PURE
pytype_aval_mappings: dict[type, Any] = {np.ndarray: typeof}
"""tensorflow-probability (distrax) writes to it; treadle asks a value for its elements instead."""


def nonempty_axis_env_DO_NOT_USE() -> bool:  # noqa: N802 - JAX's name
    """Return whether an axis has a name here, as within `vmap(..., axis_name=...)`."""
    return bool(unsafe_get_axis_names_DO_NOT_USE())


def is_concrete(x: object) -> bool:
    """Return whether a value has known elements: it is not a tracer, or its tracer is concrete, as within `grad`."""
    return not isinstance(x, Tracer) or (
        x.concrete() is not None and not isinstance(x, KnownTracer)
    )


def is_constant_dim(d: object) -> bool:
    """Return whether a size is a number."""
    return not is_symbolic_dim(d)


def is_constant_shape(s: tuple[object, ...]) -> bool:
    """Return whether all sizes are numbers."""
    return all(map(is_constant_dim, s))
