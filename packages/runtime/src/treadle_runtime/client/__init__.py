"""Backends: devices and raw buffers; the only folder of the runtime that touches a jaxlib client.

A `Backend` is one started platform. Its methods take and give *buffers* (jaxlib arrays), which nothing above
`treadle_runtime` sees. `Backends` starts them when first asked for, in the order that the environment wants.
"""

from __future__ import annotations

from treadle_runtime.client.backend import (
    Backend as Backend,
    aligned_empty as aligned_empty,
    number_range as number_range,
)
from treadle_runtime.client.environment import (
    cpu_asynchronous as cpu_asynchronous,
    cpu_device_count as cpu_device_count,
    nvidia_gpu_present as nvidia_gpu_present,
    requested_platforms as requested_platforms,
)
from treadle_runtime.client.failures import (
    ExecutionError as ExecutionError,
    OutOfMemoryError as OutOfMemoryError,
    PlatformError as PlatformError,
    PlatformWarning as PlatformWarning,
    execution_error as execution_error,
)
from treadle_runtime.client.guard import (
    no_jax_import as no_jax_import,
    own_sharding as own_sharding,
)
from treadle_runtime.client.start import Backends as Backends, backends as backends
