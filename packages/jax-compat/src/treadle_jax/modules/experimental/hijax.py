"""`jax.experimental.hijax` as JAX 0.10.2 names it: `VJPHiPrimitive`, and what treadle lacks of types that change.

Values of `MutableHiType`s are refused, and so are operations that derive from `HiPrimitive`. The classes can be derived
from and asked for, so that flax.nnx, which has both for programs that ask for them, is imported.
"""

from __future__ import annotations

from typing import Any, NoReturn

from treadle.errors import UnsupportedError
from treadle.experimental.hijax import (
    AbstractRef as AbstractRef,
    AbstractValue as AbstractValue,
    GradAccum as GradAccum,
    HiPrim as HiPrim,
    HiPspec as HiPspec,
    HiType as HiType,
    MappingSpec as MappingSpec,
    NullAccum as NullAccum,
    RefAccum as RefAccum,
    ShapedArray as ShapedArray,
    ValAccum as ValAccum,
    Zero as Zero,
    aval_method as aval_method,
    aval_property as aval_property,
    bdims_at_front as bdims_at_front,
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


def _refuse(*_: Any, **__: Any) -> NoReturn:
    raise UnsupportedError(
        "treadle has no `MutableHiType` and no `HiPrimitive` of `jax.experimental.hijax`: "
        "values of a user's own types do not change",
        fix="use a `HiType` with `HiPrim`s, references (`jax.new_ref`), or plain pytrees, as flax.nnx does unless a "
        "setting of its own asks for such types",
    )


class MutableHiType(HiType):
    """A type of a user's own whose values change; they are refused."""

    has_qdd = True
    lo_ty = lower_val = raise_val = to_tangent_aval = _refuse


class HiPrimitive:
    """An operation on such types; binding it raises."""

    multiple_results = False
    bind = _refuse

    def __init__(self, name: str) -> None:
        self.name = name


class _EffectTypes:
    """JAX's set of effects that loops and branches may have; in treadle an effect says that of itself."""

    def add_type(self, effect_type: type) -> None:
        """Add one: nothing is to be done."""


control_flow_allowed_effects = _EffectTypes()
