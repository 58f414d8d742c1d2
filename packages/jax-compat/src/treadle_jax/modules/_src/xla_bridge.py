"""`jax._src.xla_bridge`: for chex, which asks for the platforms that are in use."""

from __future__ import annotations

from treadle.errors import TreadleError
from treadle_runtime import backends

_backends: dict[str, object] = {}  # treadle has platforms without a table of them


def backends_are_initialized() -> bool:
    """Return whether a device has been asked for; for fabricpc and eformer."""
    try:
        backends.check_not_started("backends_are_initialized")
    except TreadleError:
        return True
    return False
