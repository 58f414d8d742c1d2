"""The cache of compiled programs on disk, by JAX's names; settings say the same and more."""

from __future__ import annotations

import os

from treadle_compiler import forget_disk
from treadle_compiler.settings import COMPILATION_CACHE_DIR
from treadle_ir.errors import boundaries

__all__ = ["reset_cache", "set_cache_dir"]


def set_cache_dir(path: str | os.PathLike[str]) -> None:
    """Keep compiled programs in this folder from now on.

    Raises:
        ArgumentError: it is not a path.
    """
    COMPILATION_CACHE_DIR.set(path)


def reset_cache() -> None:
    """Open the folder again when it is next wanted; what is stored stays."""
    forget_disk()


boundaries(__name__)
