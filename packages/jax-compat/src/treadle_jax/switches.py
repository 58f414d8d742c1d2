"""Switches of `jax.config` that change nothing in treadle: libraries set them, so they can be set.

Those with a meaning are settings of treadle's. The rest, with the values that they have in JAX 0.12, can be read and
set; the first time that one is set to something else, the logger `treadle` says that nothing changes.
"""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING, Any, Final, final

from treadle_ir.events import say

if TYPE_CHECKING:
    from treadle.settings import Config

_TEXT: Final = """
    check_vma=False eager_constant_folding=False jax2tf_associative_scan_reductions=False
    jax2tf_default_native_serialization=True jax_accurate_erf_inv=False jax_allow_f16_reductions=True
    jax_auto_pcast=True jax_backend_target='' jax_bcoo_cusparse_lowering=False jax_check_proxy_envs=True
    jax_compilation_cache_check_contents=False jax_compilation_cache_expect_pgle=False
    jax_compilation_cache_include_metadata_in_key=False jax_compiler_detailed_logging_min_ops=10
    jax_compiler_enable_remat_pass=True jax_cpu_get_global_topology_timeout_minutes=5
    jax_cpu_get_local_topology_timeout_minutes=2 jax_cross_host_transfer_socket_address=''
    jax_cross_host_transfer_timeout_seconds=None jax_cross_host_transfer_transfer_size=None
    jax_cross_host_transport_addresses='' jax_cuda_visible_devices='all' jax_custom_jvp3=False jax_custom_vjp3=False
    jax_debug_leaked_clients_on_clear_backends=False jax_debug_log_modules='' jax_disable_bwd_checks=False
    jax_disable_vmap_shmap_error=False jax_disallow_mesh_context_manager=False jax_distributed_debug=False
    jax_distributed_verify_secure_credentials=False jax_embedded_constants_max_bytes=32 jax_enable_pgle=False
    jax_enable_preemption_service=True jax_exec_time_optimization_effort=0.0
    jax_experimental_unsafe_xla_runtime_errors=False jax_export_calling_convention_version=10
    jax_export_deserialize_expired_versions=False jax_export_ignore_forward_compatibility=False
    jax_force_dcn_cross_host_transfers=False jax_high_dynamic_range_gumbel=False
    jax_hlo_source_file_canonicalization_regex=None jax_memory_fitting_effort=0.0 jax_mock_gpu_topology=''
    jax_mosaic_allow_hlo=False jax_mosaic_unzip_debug_locations=True jax_mtls_ca_file=None jax_mtls_cert_file=None
    jax_mtls_key_file=None jax_mtls_peer_uri_prefix=None jax_oneapi_visible_devices='all'
    jax_pallas_auto_assign_collective_ids='no' jax_pallas_auto_assign_collective_ids_limit=25
    jax_pallas_enable_debug_checks=False jax_pallas_poison_buffers=False jax_pallas_use_mosaic_gpu=True
    jax_pallas_verbose_errors=False jax_persistent_cache_enable_xla_caches='xla_gpu_per_fusion_autotune_cache_dir'
    jax_pgle_aggregation_percentile=90 jax_pgle_profiling_runs=3 jax_pjrt_client_create_options=None
    jax_ragged_dot_use_gpu_pallas_triton_lowering=False jax_ragged_dot_use_ragged_dot_instruction=True
    jax_raise_on_ppermute_sort_diff=True jax_refs_to_pins=False jax_remat3=False
    jax_remat_barrier_no_cotangents=False jax_remove_custom_partitioning_ptr_from_cache_key=False
    jax_remove_size_one_mesh_axis_from_type=False jax_rocm_visible_devices='all' jax_scan3=False
    jax_send_traceback_to_runtime='off' jax_serialization_version=0 jax_share_binary_between_hosts=False
    jax_share_binary_between_hosts_timeout_ms=1200000 jax_sort_devices_by_process_index=True
    jax_source_url_schema=None jax_threefry_gpu_kernel_lowering=False jax_traceback_in_locations_limit=100
    jax_use_cpp_shard_args=False jax_use_direct_linearize=True jax_use_emit_pipeline_primitive=False
    jax_use_hlo_logistic_lowering=None jax_use_magma='auto' jax_use_rgv3=True
    jax_use_simplified_jaxpr_constants=False jax_xla_backend='' jax_xla_profile_version=0 mock_num_gpu_processes=0
"""


@final
class _Switch:
    """The value of a switch."""

    def __init__(self, name: str, value: object) -> None:
        self._name = name
        self._said = False
        self.value = value

    def _set(self, value: object) -> None:
        if value != self.value and not self._said:
            self._said = True
            say(
                f"jax.config: `{self._name}` is set to {value!r}, which has no effect: treadle has no such setting",
                loudly=True,
            )
        self.value = value


@cache
def declared() -> Config:
    """`treadle.config`, which knows the switches from now on: what `jax.config` is."""
    from treadle import config  # noqa: PLC0415 - when `jax.config` is asked for, since it imports all settings

    for word in _TEXT.split():
        name, _, text = word.partition("=")
        default: Any = ast.literal_eval(text)  # Any: of all kinds
        config.add_option(
            name,
            _Switch(name, default),
            type(default),
            [],
            {"help": "No effect in treadle."},
        )
    return config
