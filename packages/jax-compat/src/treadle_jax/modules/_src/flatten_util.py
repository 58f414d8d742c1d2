"""`jax._src.flatten_util`: for blackjax."""

from __future__ import annotations

from treadle.flatten_util import ravel_pytree as ravel_pytree
