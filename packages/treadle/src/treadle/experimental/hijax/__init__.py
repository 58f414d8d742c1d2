"""User-defined types and primitives, with JAX's names: `HiType`, `register_hitype`, `HiPrim`."""

from __future__ import annotations

from treadle.core import AbstractValue as AbstractValue, ShapedArray as ShapedArray
from treadle.effect_types import control_flow_allowed_effects as control_flow_allowed_effects
from treadle.experimental.hijax import (  # noqa: F401 - they register rules
    batch as _batch,
    hi_rules as _hi_rules,
    linear as _linear,
)
from treadle.experimental.hijax.accumulate import (
    GradAccum as GradAccum,
    NullAccum as NullAccum,
    RefAccum as RefAccum,
    ValAccum as ValAccum,
)
from treadle.experimental.hijax.derived import (
    jvp_from_lin as jvp_from_lin,
    linearize_from_jvp as linearize_from_jvp,
    vjp_from_jvp as vjp_from_jvp,
    vjp_from_lin as vjp_from_lin,
)
from treadle.experimental.hijax.hi_primitive import HiPrimitive as HiPrimitive
from treadle.experimental.hijax.mapped import (
    bdims_at_front as bdims_at_front,
    unmap_avals as unmap_avals,
    vmap_rule as vmap_rule,
)
from treadle.experimental.hijax.mutable import (
    AvalMutableQDD as AvalMutableQDD,
    AvalQDD as AvalQDD,
    MutableHiType as MutableHiType,
)
from treadle.experimental.hijax.prim import HiPrim as HiPrim
from treadle.experimental.hijax.registration import register_hitype as register_hitype
from treadle.experimental.hijax.types import (
    HiPspec as HiPspec,
    HiType as HiType,
    aval_method as aval_method,
    aval_property as aval_property,
)
from treadle.interpreters.ad import (
    Zero as Zero,
    instantiate_zeros as instantiate_zeros,
    is_undefined_primal as is_undefined_primal,
)
from treadle_ir.errors import boundaries
from treadle_ir.refs import AbstractRef as AbstractRef, TransformedRef as TransformedRef
from treadle_ir.tree import MappingSpec as MappingSpec

__all__ = [
    "AbstractRef",
    "AbstractValue",
    "AvalMutableQDD",
    "AvalQDD",
    "GradAccum",
    "HiPrim",
    "HiPrimitive",
    "HiPspec",
    "HiType",
    "MappingSpec",
    "MutableHiType",
    "NullAccum",
    "RefAccum",
    "ShapedArray",
    "TransformedRef",
    "ValAccum",
    "Zero",
    "aval_method",
    "aval_property",
    "bdims_at_front",
    "control_flow_allowed_effects",
    "instantiate_zeros",
    "is_undefined_primal",
    "jvp_from_lin",
    "linearize_from_jvp",
    "register_hitype",
    "unmap_avals",
    "vjp_from_jvp",
    "vjp_from_lin",
    "vmap_rule",
]

boundaries(__name__)
