"""`jax._src.checkify`: for flax."""

from __future__ import annotations

from treadle.errors import CheckError as JaxException  # noqa: F401 - JAX's name of it
