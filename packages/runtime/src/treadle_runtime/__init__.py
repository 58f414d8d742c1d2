"""treadle-runtime: devices, arrays, and the call path of compiled functions."""

from treadle_ir import source as _source
from treadle_runtime.array import DeviceArray as DeviceArray, from_host as from_host
from treadle_runtime.client import backends as backends
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
from treadle_runtime.host_calls import (
    debug_callback as debug_callback,
    debug_print as debug_print,
    io_callback as io_callback,
    pure_callback as pure_callback,
)
from treadle_runtime.jit import (
    JitFunction as JitFunction,
    disable_jit as disable_jit,
    jit as jit,
    timings as timings,
)
from treadle_runtime.sharding import (
    Shard as Shard,
    Sharding as Sharding,
    SingleDeviceSharding as SingleDeviceSharding,
)
from treadle_runtime.signature import (
    ENVIRONMENT as ENVIRONMENT,
    JitArgumentError as JitArgumentError,
    ShapeDtypeStruct as ShapeDtypeStruct,
    StaticArgumentError as StaticArgumentError,
)
from treadle_runtime.stages import (
    Compiled as Compiled,
    Lowered as Lowered,
    TracedCall as TracedCall,
)
from treadle_runtime.transfer import (
    block_until_ready as block_until_ready,
    copy_to_host_async as copy_to_host_async,
    device_get as device_get,
    device_put as device_put,
)

_source.internal(__path__[0])
