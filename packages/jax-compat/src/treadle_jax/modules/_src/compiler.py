"""`jax._src.compiler`: for chex, which replaces the function that compiles by a function that refuses."""

from __future__ import annotations
