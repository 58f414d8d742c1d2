"""The distribution `jax`, as `importlib.metadata` shows it where there is none: the version that goes with jaxlib."""

from __future__ import annotations

import importlib.metadata
import os
from functools import cache
from pathlib import Path
from typing import final

import treadle


@cache
def version() -> str:
    """Return the release of JAX that belongs to the jaxlib that is installed: libraries take the branches for that
    one.
    """
    return importlib.metadata.version("jaxlib")


@final
class JaxDistribution(importlib.metadata.Distribution):
    """What `importlib.metadata.distribution("jax")` gives."""

    def read_text(self, filename: str | os.PathLike[str]) -> str | None:
        """Return the text of the metadata; there are no other files."""
        if str(filename) not in ("METADATA", "PKG-INFO"):
            return None
        return f"Metadata-Version: 2.1\nName: jax\nVersion: {version()}\nSummary: treadle, under JAX's names\n"

    def locate_file(self, path: str | os.PathLike[str]) -> Path:
        """Return where a file of it would be."""
        return Path(treadle.__path__[0]).parent / path
