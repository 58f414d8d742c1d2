"""Valid calls of what is composed of other functions: segments, images, SciPy's functions."""

from __future__ import annotations

from typing import Any, Final

import treadle.ops

NAMESPACES: Final[dict[str, Any]] = {"ops": treadle.ops}
TABLE: Final = """
ops: segment_max segment_min segment_prod segment_sum (v, i)
"""
