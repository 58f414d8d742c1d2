"""`jax._src.interpreters.batching`: for jaxoplanet, which asks what `vmap` maps over as a whole."""

from __future__ import annotations

from treadle_batching import is_vmappable as is_vmappable
