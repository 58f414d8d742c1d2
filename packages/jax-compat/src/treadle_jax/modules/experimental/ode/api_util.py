"""`jax.experimental.ode.api_util`: for bijx, which imports `jax.api_util` from there."""

from __future__ import annotations

from treadle.api_util import *  # noqa: F403 - the names of that module, whatever they are
