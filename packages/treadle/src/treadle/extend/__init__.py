"""JAX's place for what libraries that extend it use."""

from __future__ import annotations

from treadle.extend import core as core
