"""Valid calls of functions with rules of their own."""

from __future__ import annotations

from typing import Any, Final

from treadle import tree

# Functions of whatever tree: what they are given is hostile, they are not.
NAMES: Final[dict[str, Any]] = {
    "doubled": lambda x: tree.map(lambda e: e + e, x),
    "halved": lambda f, y: tree.map(lambda e: e / 2, y),
    "the_same": lambda f, x: x,
    "itself": lambda x: x,
}
TABLE: Final = """
lax: custom_linear_solve (doubled, v, halved, halved)
lax: custom_root (doubled, 1.0, the_same, halved)
lax: composite (doubled, "my.doubled")
lax: platform_dependent (x, default=itself)
treadle: closure_convert (doubled, x)
treadle: fwd_and_bwd (doubled, 0)
"""
