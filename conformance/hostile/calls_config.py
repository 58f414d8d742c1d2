"""Valid calls of context managers of settings, and of functions that look at programs and processes."""

from __future__ import annotations

from typing import Final

_SWITCHES: Final = (
    "check_tracer_leaks debug_infs debug_key_reuse debug_nans disable_jit enable_checks enable_custom_prng "
    "explain_cache_misses log_compiles no_execution no_tracing softmax_custom_jvp thread_guard threefry_partitionable"
)
_GUARDS: Final = (
    "transfer_guard transfer_guard_device_to_device transfer_guard_device_to_host transfer_guard_host_to_device "
    "array_garbage_collection_guard"
)
TABLE: Final = f"""
treadle: {_SWITCHES} (True)
treadle: {_GUARDS} ("allow")
treadle: default_prng_impl ("threefry2x32")
treadle: legacy_prng_key ("allow")
treadle: copy_to_host_async (x)
treadle: live_arrays ("cpu")
treadle: make_user_context (1)
treadle: named_call (np.sin, name="f")
treadle: named_scope ("f")
treadle: print_environment_info (True)
treadle: process_count process_index ("cpu")
treadle: ds (1, 2)
"""
LEFT_OUT: Final[dict[str, str]] = dict.fromkeys(
    [
        "lax.Token",
        "treadle.checking_leaks",
        "treadle.clear_caches",
        "treadle.ensure_compile_time_eval",
    ],
    "it takes no argument",
) | dict.fromkeys(
    ["treadle.host_count", "treadle.host_id", "treadle.host_ids"],
    "the former name of another function",
)
