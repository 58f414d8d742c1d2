"""treadle-runtime: devices, arrays, and the call path of compiled functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors import lazy_names as _lazy_names, source as _source

if TYPE_CHECKING:
    from treadle_runtime.abstract import (
        ShapeDtypeStruct as ShapeDtypeStruct,
        refuse_described_ref as refuse_described_ref,
    )
    from treadle_runtime.arrays.array import (
        DeviceArray as DeviceArray,
        from_host as from_host,
        live_arrays as live_arrays,
    )
    from treadle_runtime.arrays.shard import Shard as Shard
    from treadle_runtime.arrays.visualize import (
        inspect_array_sharding as inspect_array_sharding,
        visualize_array_sharding as visualize_array_sharding,
        visualize_sharding as visualize_sharding,
    )
    from treadle_runtime.client import backends as backends
    from treadle_runtime.client.failures import (
        PlatformError as PlatformError,
        PlatformWarning as PlatformWarning,
    )
    from treadle_runtime.client.peers import (
        DistributedError as DistributedError,
        ProcessFailureError as ProcessFailureError,
        ProcessMismatchError as ProcessMismatchError,
        coordination_client as coordination_client,
    )
    from treadle_runtime.client.profiling import (
        memory_profile as memory_profile,
        profile_data_module as profile_data_module,
        profiler_module as profiler_module,
    )
    from treadle_runtime.client.targets import (
        include_dir as include_dir,
        pycapsule as pycapsule,
        register_ffi_target as register_ffi_target,
        register_ffi_target_as_batch_partitionable as register_ffi_target_as_batch_partitionable,
        register_ffi_type as register_ffi_type,
        register_ffi_type_id as register_ffi_type_id,
    )
    from treadle_runtime.distributed.exchange import (
        exchanged as exchanged,
        live_processes as live_processes,
    )
    from treadle_runtime.distributed.session import (
        initialize as initialize,
        is_initialized as is_initialized,
        shutdown as shutdown,
    )
    from treadle_runtime.evaluation.evaluator import RuntimeEvaluator as RuntimeEvaluator
    from treadle_runtime.evaluation.finite import NotFiniteError as NotFiniteError
    from treadle_runtime.evaluation.instrumented import NoExecutionError as NoExecutionError
    from treadle_runtime.evaluation.limits import host_limits as host_limits
    from treadle_runtime.evaluation.observed import (
        OperationObserver as OperationObserver,
        observing_operations as observing_operations,
        runtime_evaluator as runtime_evaluator,
        seconds_of as seconds_of,
    )
    from treadle_runtime.host.breakpoint import breakpoint as breakpoint
    from treadle_runtime.host.buffers import buffer_callback as buffer_callback
    from treadle_runtime.host.callbacks import (
        debug_callback as debug_callback,
        debug_log as debug_log,
        debug_print as debug_print,
        io_callback as io_callback,
        pure_callback as pure_callback,
    )
    from treadle_runtime.host.foreign import abstract_token as abstract_token, ffi_call as ffi_call
    from treadle_runtime.host.validated import CallbackError as CallbackError
    from treadle_runtime.jitting.advice import Lost as Lost
    from treadle_runtime.jitting.caches import FunctionCache as FunctionCache
    from treadle_runtime.jitting.donation import Donation as Donation
    from treadle_runtime.jitting.function import JitFunction as JitFunction
    from treadle_runtime.jitting.jit import (
        disable_jit as disable_jit,
        jit as jit,
        timings as timings,
    )
    from treadle_runtime.jitting.observed_call import (
        CallObserver as CallObserver,
        ObservedFunction as ObservedFunction,
        observing as observing,
    )
    from treadle_runtime.jitting.options import (
        PLATFORMS as PLATFORMS,
        Inline as Inline,
        platforms_of as platforms_of,
        static_numbers as static_numbers,
    )
    from treadle_runtime.jitting.serialised import (
        from_bytes as from_bytes,
        to_bytes as to_bytes,
    )
    from treadle_runtime.jitting.stages import Compiled as Compiled, Lowered as Lowered
    from treadle_runtime.jitting.traced_call import (
        ArgInfo as ArgInfo,
        TracedCall as TracedCall,
        structs_of as structs_of,
    )
    from treadle_runtime.jitting.with_refs import (
        places_of as places_of,
        pure_function as pure_function,
    )
    from treadle_runtime.launch import effects_barrier as effects_barrier
    from treadle_runtime.parallel.axis_types import (
        auto_axes as auto_axes,
        explicit_axes as explicit_axes,
    )
    from treadle_runtime.parallel.custom_partitioning import (
        custom_partitioning as custom_partitioning,
    )
    from treadle_runtime.parallel.pmap import pmap as pmap
    from treadle_runtime.parallel.shard_map import Infer as Infer, shard_map as shard_map
    from treadle_runtime.parallel.sharding_rule import (
        BATCHING as BATCHING,
        ArrayMapping as ArrayMapping,
        CompoundFactor as CompoundFactor,
        SdyShardingRule as SdyShardingRule,
    )
    from treadle_runtime.parallel.smap import smap as smap
    from treadle_runtime.placement.current_mesh import (
        get_abstract_mesh as get_abstract_mesh,
        get_mesh as get_mesh,
        set_mesh as set_mesh,
        use_abstract_mesh as use_abstract_mesh,
    )
    from treadle_runtime.placement.devices import (
        Device as Device,
        default_backend as default_backend,
        device_count as device_count,
        devices as devices,
        local_device_count as local_device_count,
        local_devices as local_devices,
        process_count as process_count,
        process_index as process_index,
        process_indices as process_indices,
    )
    from treadle_runtime.placement.explicit import (
        explicit_sharding as explicit_sharding,
        shardings_of_results as shardings_of_results,
        shardings_over as shardings_over,
    )
    from treadle_runtime.placement.format import (
        Format as Format,
        Layout as Layout,
        with_layout_constraint as with_layout_constraint,
    )
    from treadle_runtime.placement.guards import TransferError as TransferError
    from treadle_runtime.placement.mesh import MESH as MESH, Mesh as Mesh, make_mesh as make_mesh
    from treadle_runtime.placement.mesh_grids import (
        create_device_mesh as create_device_mesh,
        create_hybrid_device_mesh as create_hybrid_device_mesh,
        device_kind_handler_dict as device_kind_handler_dict,
    )
    from treadle_runtime.placement.named import NamedSharding as NamedSharding
    from treadle_runtime.placement.partition import (
        meshes_of as meshes_of,
        sharding_of_tiles as sharding_of_tiles,
    )
    from treadle_runtime.placement.placement import (
        PlacedType as PlacedType,
        Placement as Placement,
        default_device as default_device,
        set_default_device as set_default_device,
    )
    from treadle_runtime.placement.sharding import (
        Sharding as Sharding,
        SingleDeviceSharding as SingleDeviceSharding,
        Space as Space,
    )
    from treadle_runtime.transfer.assembled import (
        make_array_from_callback as make_array_from_callback,
        make_array_from_process_local_data as make_array_from_process_local_data,
        make_array_from_single_device_arrays as make_array_from_single_device_arrays,
    )
    from treadle_runtime.transfer.device_put import (
        block_until_ready as block_until_ready,
        copy_to_host_async as copy_to_host_async,
        device_get as device_get,
        device_put as device_put,
    )
    from treadle_runtime.transfer.reshard import (
        reshard as reshard,
        with_sharding_constraint as with_sharding_constraint,
    )

_source.internal(__path__[0])

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle_runtime.abstract": "ShapeDtypeStruct refuse_described_ref",
            "treadle_runtime.arrays.array": "DeviceArray from_host live_arrays",
            "treadle_runtime.arrays.shard": "Shard",
            "treadle_runtime.arrays.visualize": (
                "inspect_array_sharding visualize_array_sharding visualize_sharding"
            ),
            "treadle_runtime.client": "backends",
            "treadle_runtime.client.failures": "PlatformError PlatformWarning",
            "treadle_runtime.client.peers": (
                "DistributedError ProcessFailureError ProcessMismatchError coordination_client"
            ),
            "treadle_runtime.client.profiling": (
                "memory_profile profile_data_module profiler_module"
            ),
            "treadle_runtime.client.targets": (
                "include_dir pycapsule register_ffi_target "
                "register_ffi_target_as_batch_partitionable register_ffi_type register_ffi_type_id"
            ),
            "treadle_runtime.distributed.exchange": "exchanged live_processes",
            "treadle_runtime.distributed.session": "initialize is_initialized shutdown",
            "treadle_runtime.evaluation.evaluator": "RuntimeEvaluator",
            "treadle_runtime.evaluation.finite": "NotFiniteError",
            "treadle_runtime.evaluation.instrumented": "NoExecutionError",
            "treadle_runtime.evaluation.limits": "host_limits",
            "treadle_runtime.evaluation.observed": (
                "OperationObserver observing_operations runtime_evaluator seconds_of"
            ),
            "treadle_runtime.host.breakpoint": "breakpoint",
            "treadle_runtime.host.buffers": "buffer_callback",
            "treadle_runtime.host.callbacks": (
                "debug_callback debug_log debug_print io_callback pure_callback"
            ),
            "treadle_runtime.host.foreign": "abstract_token ffi_call",
            "treadle_runtime.host.validated": "CallbackError",
            "treadle_runtime.jitting.advice": "Lost",
            "treadle_runtime.jitting.caches": "FunctionCache",
            "treadle_runtime.jitting.donation": "Donation",
            "treadle_runtime.jitting.function": "JitFunction",
            "treadle_runtime.jitting.jit": "disable_jit jit timings",
            "treadle_runtime.jitting.observed_call": "CallObserver ObservedFunction observing",
            "treadle_runtime.jitting.options": "PLATFORMS Inline platforms_of static_numbers",
            "treadle_runtime.jitting.serialised": "from_bytes to_bytes",
            "treadle_runtime.jitting.stages": "Compiled Lowered",
            "treadle_runtime.jitting.traced_call": "ArgInfo TracedCall structs_of",
            "treadle_runtime.jitting.with_refs": "places_of pure_function",
            "treadle_runtime.launch": "effects_barrier",
            "treadle_runtime.parallel.axis_types": "auto_axes explicit_axes",
            "treadle_runtime.parallel.custom_partitioning": "custom_partitioning",
            "treadle_runtime.parallel.pmap": "pmap",
            "treadle_runtime.parallel.shard_map": "Infer shard_map",
            "treadle_runtime.parallel.sharding_rule": (
                "BATCHING ArrayMapping CompoundFactor SdyShardingRule"
            ),
            "treadle_runtime.parallel.smap": "smap",
            "treadle_runtime.placement.current_mesh": (
                "get_abstract_mesh get_mesh set_mesh use_abstract_mesh"
            ),
            "treadle_runtime.placement.devices": (
                "Device default_backend device_count devices local_device_count local_devices "
                "process_count process_index process_indices"
            ),
            "treadle_runtime.placement.explicit": (
                "explicit_sharding shardings_of_results shardings_over"
            ),
            "treadle_runtime.placement.format": "Format Layout with_layout_constraint",
            "treadle_runtime.placement.guards": "TransferError",
            "treadle_runtime.placement.mesh": "MESH Mesh make_mesh",
            "treadle_runtime.placement.mesh_grids": (
                "create_device_mesh create_hybrid_device_mesh device_kind_handler_dict"
            ),
            "treadle_runtime.placement.named": "NamedSharding",
            "treadle_runtime.placement.partition": "meshes_of sharding_of_tiles",
            "treadle_runtime.placement.placement": (
                "PlacedType Placement default_device set_default_device"
            ),
            "treadle_runtime.placement.sharding": "Sharding SingleDeviceSharding Space",
            "treadle_runtime.transfer.assembled": (
                "make_array_from_callback make_array_from_process_local_data "
                "make_array_from_single_device_arrays"
            ),
            "treadle_runtime.transfer.device_put": (
                "block_until_ready copy_to_host_async device_get device_put"
            ),
            "treadle_runtime.transfer.reshard": "reshard with_sharding_constraint",
        },
    )
