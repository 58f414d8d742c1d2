"""`jax._src.interpreters.batching`: for jaxoplanet, which asks what `vmap` maps over as a whole."""

from __future__ import annotations

from treadle_batching import VMAPPABLE as _TYPES


def is_vmappable(typ: type) -> bool:
    """Whether values of a type are mapped over by functions of the type, see `register_vmappable`."""
    return typ in _TYPES
