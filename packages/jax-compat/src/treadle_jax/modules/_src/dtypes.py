"""`jax._src.dtypes`: for equinox and flax."""

from __future__ import annotations

from treadle.dtypes import (
    TypePromotionError as TypePromotionError,
    extended as extended,
)
from treadle.numpy import finfo as finfo
