"""treadle-runtime: devices, arrays, and the call path of compiled functions."""

from treadle_runtime.array import DeviceArray as DeviceArray, from_host as from_host
from treadle_runtime.devices import (
    Device as Device,
    Placement as Placement,
    default_backend as default_backend,
    default_device as default_device,
    device_count as device_count,
    devices as devices,
    local_device_count as local_device_count,
    local_devices as local_devices,
    set_default_device as set_default_device,
)
from treadle_runtime.dispatch import effects_barrier as effects_barrier
from treadle_runtime.evaluator import RuntimeEvaluator as RuntimeEvaluator
from treadle_runtime.jit import JitFunction as JitFunction, jit as jit, timings as timings
from treadle_runtime.sharding import (
    Shard as Shard,
    Sharding as Sharding,
    SingleDeviceSharding as SingleDeviceSharding,
)
