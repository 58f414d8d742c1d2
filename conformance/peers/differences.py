"""Rows in which a peer differs from treadle by intention, by test, each with the reason."""

from __future__ import annotations

from typing import Final

DIFFERENCES: Final[dict[str, dict[str, str]]] = {"jax": {}, "hook": {}}
