"""`jax._src.checkify`: for flax."""

from __future__ import annotations

from treadle.errors import CheckError as JaxException  # noqa: F401
from treadle.experimental.checkify import (
    Error as Error,
    checkify as checkify,
    user_checks as user_checks,
)
