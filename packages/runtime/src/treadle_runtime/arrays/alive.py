"""The arrays of this process that are alive."""

from __future__ import annotations

import gc

from treadle_ir.errors import names
from treadle_runtime.arrays.array import DeviceArray
from treadle_runtime.arrays.deleted import Deleted


def live_arrays(platform: str | None = None) -> list[DeviceArray]:
    """Return the arrays that are alive and have not been deleted, on the devices of a platform; without one, on all.

    They are looked for among all objects of the process, which takes some milliseconds or more.

    Example:
        >>> import numpy as np
        >>> from treadle_runtime import device_put
        >>> x = device_put(np.ones(3))
        >>> any(y is x for y in live_arrays())
        True
    """
    names("live_arrays", platform=platform)
    return [
        each
        for each in gc.get_objects()
        if type(each) is DeviceArray
        and type(each.raw) is not Deleted
        and platform in (None, each.placed.placement.device.platform)
    ]
