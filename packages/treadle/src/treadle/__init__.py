"""treadle: composable transformations of numerical Python - jit, grad, vmap - compiled by XLA.

    import treadle
    import treadle.numpy as tnp

The one import for users. It installs the runtime's evaluator and NumPy's operators, and re-exports the public
names, which are JAX's. A name's module is imported when the name is first asked for, and jaxlib when something is
first compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle import assembly as _assembly
from treadle._version import __version__ as __version__
from treadle_ir.errors import lazy_names as _lazy_names

if TYPE_CHECKING:
    from treadle import (
        ad_checkpoint as ad_checkpoint,
        api_util as api_util,
        core as core,
        custom_batching as custom_batching,
        custom_derivatives as custom_derivatives,
        debug as debug,
        distributed as distributed,
        dlpack as dlpack,
        dtypes as dtypes,
        errors as errors,
        experimental as experimental,
        export as export,
        extend as extend,
        ffi as ffi,
        flatten_util as flatten_util,
        image as image,
        interpreters as interpreters,
        lax as lax,
        memory as memory,
        monitoring as monitoring,
        nn as nn,
        numpy as numpy,
        ops as ops,
        profiler as profiler,
        random as random,
        ref as ref,
        scipy as scipy,
        sharding as sharding,
        stages as stages,
        test_util as test_util,
        tree as tree,
        tree_util as tree_util,
        typing as typing,
    )
    from treadle.abstract import (
        ShapeDtypeStruct as ShapeDtypeStruct,
        eval_shape as eval_shape,
        make_jaxpr as make_jaxpr,
        typeof as typeof,
        xla_computation as xla_computation,
    )
    from treadle.cache_clearing import clear_caches as clear_caches
    from treadle.environment import print_environment_info as print_environment_info
    from treadle.explanations import (
        explain as explain,
        findings as findings,
        watch as watch,
    )
    from treadle.hosts import host_count as host_count, host_id as host_id, host_ids as host_ids
    from treadle.jacobians import (
        hessian as hessian,
        jacfwd as jacfwd,
        jacobian as jacobian,
        jacrev as jacrev,
    )
    from treadle.managers import (
        array_garbage_collection_guard as array_garbage_collection_guard,
        check_tracer_leaks as check_tracer_leaks,
        checking_leaks as checking_leaks,
        debug_infs as debug_infs,
        debug_key_reuse as debug_key_reuse,
        debug_nans as debug_nans,
        default_matmul_precision as default_matmul_precision,
        default_prng_impl as default_prng_impl,
        enable_checks as enable_checks,
        enable_custom_prng as enable_custom_prng,
        enable_x64 as enable_x64,
        explain_cache_misses as explain_cache_misses,
        legacy_prng_key as legacy_prng_key,
        log_compiles as log_compiles,
        no_execution as no_execution,
        no_tracing as no_tracing,
        numpy_dtype_promotion as numpy_dtype_promotion,
        numpy_rank_promotion as numpy_rank_promotion,
        softmax_custom_jvp as softmax_custom_jvp,
        thread_guard as thread_guard,
        threefry_partitionable as threefry_partitionable,
        transfer_guard as transfer_guard,
        transfer_guard_device_to_device as transfer_guard_device_to_device,
        transfer_guard_device_to_host as transfer_guard_device_to_host,
        transfer_guard_host_to_device as transfer_guard_host_to_device,
    )
    from treadle.passes import fwd_and_bwd as fwd_and_bwd
    from treadle.settings import config as config
    from treadle.sharding import P as P
    from treadle.user_context import make_user_context as make_user_context
    from treadle_autodiff import (
        checkpoint as checkpoint,
        checkpoint_policies as checkpoint_policies,
        closure_convert as closure_convert,
        custom_gradient as custom_gradient,
        custom_jvp as custom_jvp,
        custom_vjp as custom_vjp,
        grad as grad,
        jvp as jvp,
        linear_transpose as linear_transpose,
        linearize as linearize,
        remat as remat,
        value_and_grad as value_and_grad,
        vjp as vjp,
    )
    from treadle_batching import vmap as vmap
    from treadle_compiler import CompilerEffortLevel as CompilerEffortLevel
    from treadle_ir import Array as Array, named_scope as named_scope
    from treadle_ir.core import float0 as float0
    from treadle_ir.refs import (
        Ref as Ref,
        empty_ref as empty_ref,
        free_ref as free_ref,
        freeze as freeze,
        new_ref as new_ref,
    )
    from treadle_ir.tracing import (
        ensure_compile_time_eval as ensure_compile_time_eval,
        named_call as named_call,
    )
    from treadle_numpy import ds as ds
    from treadle_runtime import (
        Device as Device,
        Inline as Inline,
        NamedSharding as NamedSharding,
        Shard as Shard,
        block_until_ready as block_until_ready,
        copy_to_host_async as copy_to_host_async,
        default_backend as default_backend,
        default_device as default_device,
        device_count as device_count,
        device_get as device_get,
        device_put as device_put,
        devices as devices,
        disable_jit as disable_jit,
        effects_barrier as effects_barrier,
        get_abstract_mesh as get_abstract_mesh,
        get_mesh as get_mesh,
        jit as jit,
        live_arrays as live_arrays,
        local_device_count as local_device_count,
        local_devices as local_devices,
        make_array_from_callback as make_array_from_callback,
        make_array_from_process_local_data as make_array_from_process_local_data,
        make_array_from_single_device_arrays as make_array_from_single_device_arrays,
        make_mesh as make_mesh,
        pmap as pmap,
        process_count as process_count,
        process_index as process_index,
        process_indices as process_indices,
        pure_callback as pure_callback,
        reshard as reshard,
        set_mesh as set_mesh,
        shard_map as shard_map,
        smap as smap,
        use_abstract_mesh as use_abstract_mesh,
    )

    pjit = jit

_assembly.assemble()

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle.abstract": "ShapeDtypeStruct eval_shape make_jaxpr typeof xla_computation",
            "treadle.cache_clearing": "clear_caches",
            "treadle.environment": "print_environment_info",
            "treadle.explanations": "explain findings watch",
            "treadle.hosts": "host_count host_id host_ids",
            "treadle.jacobians": "hessian jacfwd jacobian jacrev",
            "treadle.managers": (
                "array_garbage_collection_guard check_tracer_leaks checking_leaks debug_infs "
                "debug_key_reuse debug_nans default_matmul_precision default_prng_impl "
                "enable_checks enable_custom_prng enable_x64 explain_cache_misses legacy_prng_key "
                "log_compiles no_execution no_tracing numpy_dtype_promotion numpy_rank_promotion "
                "softmax_custom_jvp thread_guard threefry_partitionable transfer_guard "
                "transfer_guard_device_to_device transfer_guard_device_to_host "
                "transfer_guard_host_to_device"
            ),
            "treadle.passes": "fwd_and_bwd",
            "treadle.settings": "config",
            "treadle.sharding": "P",
            "treadle.user_context": "make_user_context",
            "treadle_autodiff": (
                "checkpoint checkpoint_policies closure_convert custom_gradient custom_jvp "
                "custom_vjp grad jvp linear_transpose linearize remat value_and_grad vjp"
            ),
            "treadle_batching": "vmap",
            "treadle_compiler": "CompilerEffortLevel",
            "treadle_ir": "Array named_scope",
            "treadle_ir.core": "float0",
            "treadle_ir.refs": "Ref empty_ref free_ref freeze new_ref",
            "treadle_ir.tracing": "ensure_compile_time_eval named_call",
            "treadle_numpy": "ds",
            "treadle_runtime": (
                "Device Inline NamedSharding Shard block_until_ready copy_to_host_async "
                "default_backend default_device device_count device_get device_put devices "
                "disable_jit effects_barrier get_abstract_mesh get_mesh jit jit:pjit live_arrays "
                "local_device_count local_devices make_array_from_callback "
                "make_array_from_process_local_data make_array_from_single_device_arrays make_mesh "
                "pmap process_count process_index process_indices pure_callback reshard set_mesh "
                "shard_map smap use_abstract_mesh"
            ),
        },
        (
            "ad_checkpoint",
            "api_util",
            "core",
            "custom_batching",
            "custom_derivatives",
            "debug",
            "distributed",
            "dlpack",
            "dtypes",
            "errors",
            "experimental",
            "export",
            "extend",
            "ffi",
            "flatten_util",
            "image",
            "interpreters",
            "lax",
            "memory",
            "monitoring",
            "nn",
            "numpy",
            "ops",
            "profiler",
            "random",
            "ref",
            "scipy",
            "sharding",
            "stages",
            "test_util",
            "tree",
            "tree_util",
            "typing",
        ),
    )
