"""`jax._src.effects`: classes of effects by what may be done with them; for mpi4jax, whose operations are ordered."""

from __future__ import annotations

from typing import Final

from treadle.effect_types import (
    EffectTypes,
    control_flow_allowed_effects as control_flow_allowed_effects,
    lowerable_effects as lowerable_effects,
    ordered_effects as ordered_effects,
)

custom_derivatives_allowed_effects: Final = EffectTypes("differentiable")
"""Effects that functions with derivatives of their own may have."""
