"""The public names that users of JAX look for: `expected_names.txt`, by namespace and tier.

A section `[numpy]` lists the names of `treadle.numpy`, `[treadle]` the names of the facade itself, and `[Array
members]` the attributes of an array. Within it, names follow their tier: T1 every user needs, T2 serious users expect,
T3 is specialised.
"""

from __future__ import annotations

import re
from pathlib import Path

_FILE = Path(__file__).parent / "expected_names.txt"

Names = dict[str, str]  # each name with its tier


def expected() -> dict[str, Names]:
    """Return the expected names by namespace."""
    sections = re.split(r"^\[(.+)\]\n", _FILE.read_text(), flags=re.MULTILINE)[1:]
    return {
        namespace: _with_tiers(text)
        for namespace, text in zip(sections[::2], sections[1::2], strict=True)
    }


def _with_tiers(text: str) -> Names:
    names, tier = {}, ""
    for word in text.split():
        if word.endswith(":"):
            tier = word[:-1]
        else:
            names[word] = tier
    return names
