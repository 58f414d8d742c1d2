"""A machine for each kind of finding of the doctor, for its documentation and its tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from treadle_insight.doctor.machine import CacheFolder, Machine, Plugin
from treadle_insight.doctor.nvidia import Driver, Gpu, GpuProcess

_GB: Final = 1 << 30
_GPU: Final = Gpu(0, "NVIDIA H200", 1 * _GB, 140 * _GB)

HEALTHY: Final = Machine(
    versions=MappingProxyType(
        {"treadle": "0.1.0", "treadle-ir": "0.1.0", "jaxlib": "0.10.2", "numpy": "2.4.6"}
    ),
    requirements=MappingProxyType({"treadle": ("treadle-ir<0.2,>=0.1", "numpy>=2.1")}),
    gpu=True,
    driver=Driver("580.65.06", (_GPU,)),
    plugins=(Plugin(13, "0.10.2"),),
    own_libraries=("libcudnn.so.9",),
    cache=CacheFolder("/home/me/.cache/treadle/executables", True, 50 * _GB),
)
"""A machine with a GPU, on which nothing is wrong."""

EXAMPLES: Final[Mapping[str, Machine]] = MappingProxyType(
    {
        "doctor.plugin_missing": replace(HEALTHY, plugins=()),
        "doctor.plugin_release": replace(HEALTHY, plugins=(Plugin(13, "0.11.0"),)),
        "doctor.driver_old": replace(HEALTHY, driver=Driver("535.183.01", (_GPU,))),
        "doctor.library_shadowed": replace(
            HEALTHY, library_path={"/usr/local/cuda-12.2/lib64": ("libcudnn.so.9", "libm.so.6")}
        ),
        "doctor.memory_taken": replace(
            HEALTHY,
            driver=Driver(
                "580.65.06",
                (replace(_GPU, used=120 * _GB),),
                (GpuProcess(4711, "/usr/bin/python", 119 * _GB),),
            ),
        ),
        "doctor.version": replace(HEALTHY, versions={**HEALTHY.versions, "numpy": "1.26.4"}),
        "doctor.siblings": replace(HEALTHY, versions={**HEALTHY.versions, "treadle-ir": "0.2.0"}),
        "doctor.cache_unwritable": replace(
            HEALTHY, cache=CacheFolder("/home/me/.cache/treadle/executables", False, 50 * _GB)
        ),
        "doctor.cache_full": replace(
            HEALTHY, cache=CacheFolder("/home/me/.cache/treadle/executables", True, 1_000_000)
        ),
        "doctor.variable_unknown": replace(
            HEALTHY,
            unknown_variables={
                "TREADLE_ENABLE_X46": "the environment variable TREADLE_ENABLE_X46 has no effect: treadle has no "
                "such setting; did you mean 'TREADLE_ENABLE_X64'?"
            },
        ),
    }
)
"""For each kind, a machine on which it is found, and nothing else."""
