"""The doctor: what is wrong with an installation, and the command that fixes it.

`Machine.here()` looks at this machine; the checks are functions of a `Machine`, so that they can be tested on
imagined machines.
"""

from __future__ import annotations

from treadle_insight.doctor.examination import KINDS as KINDS, examined as examined
from treadle_insight.doctor.machine import (
    CacheFolder as CacheFolder,
    Machine as Machine,
    Plugin as Plugin,
)
from treadle_insight.doctor.nvidia import Driver as Driver, Gpu as Gpu, GpuProcess as GpuProcess
