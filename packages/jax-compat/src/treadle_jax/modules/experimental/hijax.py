"""`jax.experimental.hijax` as JAX 0.10.2 names it: with `VJPHiPrimitive`."""

from __future__ import annotations

from treadle.experimental.hijax import (
    AbstractRef as AbstractRef,
    AbstractValue as AbstractValue,
    AvalMutableQDD as AvalMutableQDD,
    AvalQDD as AvalQDD,
    GradAccum as GradAccum,
    HiPrim as HiPrim,
    HiPrimitive as HiPrimitive,
    HiPspec as HiPspec,
    HiType as HiType,
    MappingSpec as MappingSpec,
    MutableHiType as MutableHiType,
    NullAccum as NullAccum,
    RefAccum as RefAccum,
    ShapedArray as ShapedArray,
    ValAccum as ValAccum,
    Zero as Zero,
    aval_method as aval_method,
    aval_property as aval_property,
    bdims_at_front as bdims_at_front,
    control_flow_allowed_effects as control_flow_allowed_effects,
    instantiate_zeros as instantiate_zeros,
    is_undefined_primal as is_undefined_primal,
    jvp_from_lin as jvp_from_lin,
    linearize_from_jvp as linearize_from_jvp,
    register_hitype as register_hitype,
    unmap_avals as unmap_avals,
    vjp_from_jvp as vjp_from_jvp,
    vjp_from_lin as vjp_from_lin,
    vmap_rule as vmap_rule,
)

VJPHiPrimitive = HiPrim
