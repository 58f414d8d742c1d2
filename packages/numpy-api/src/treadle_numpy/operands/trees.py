"""Pytrees, as functions take and return them."""

from __future__ import annotations

from typing import Any, TypeAlias

Tree: TypeAlias = Any  # any Python object; what its leaves are is known when it is flattened
