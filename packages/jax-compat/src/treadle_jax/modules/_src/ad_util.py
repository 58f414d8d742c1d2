"""`jax._src.ad_util`: for lineax, which gives `stop_gradient` a rule."""

from __future__ import annotations

from treadle.extend.core import Primitive

stop_gradient_p = Primitive("stop_gradient")
"""Never applied: `lax.stop_gradient` is an instruction of treadle's own, which needs no rule."""
