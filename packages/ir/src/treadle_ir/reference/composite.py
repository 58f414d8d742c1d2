"""NumPy evaluation of the platform's index: NumPy runs on the CPU. Composites run as calls do."""

from __future__ import annotations

import numpy as np

from treadle_ir.primitives.composite import PlatformIndex
from treadle_ir.reference.registry import Elements, eval_rule


@eval_rule(PlatformIndex)
def platform_index_eval(primitive: PlatformIndex) -> list[Elements]:
    """Return the position of `cpu`."""
    platforms = primitive.platforms
    place = platforms.index("cpu") if "cpu" in platforms else len(platforms)
    return [np.asarray(place, np.int32)]
