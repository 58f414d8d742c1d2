"""What is said of names of JAX's that treadle lacks."""

from __future__ import annotations

from typing import Final

USERS: Final[dict[str, str]] = {}
"""Libraries that use a name which is missing, by name."""


def missing(name: str) -> str:
    """The message for a name or module of JAX's that treadle lacks."""
    users = USERS.get(name)
    used = f"; {users} uses it" if users else ""
    return f"treadle has no `{name}` ({name} was asked for through treadle_jax){used}"
