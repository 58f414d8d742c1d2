"""The one primitive that JAX names here, as a view."""

from __future__ import annotations

from typing import Final

from treadle_numpy.lax.other_primitives import OTHERS
from treadle_numpy.lax.views import PrimitiveView

__all__ = ["random_gamma_p"]

random_gamma_p: Final[PrimitiveView] = OTHERS["random_gamma_p"]
