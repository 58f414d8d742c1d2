"""Rows in which a peer differs from treadle by intention, by test, each with the reason.

A key is a test's name, with the parameters in brackets where only some of them differ. Each entry must be used: a
difference that is gone fails the run. What was seen: JAX 0.10.2 on Python 3.11, JAX 0.12.0.1 on Python 3.13.
"""

from __future__ import annotations

from typing import Final

_WORDS: Final = "is about the words of treadle's messages"
_CONCRETE: Final = "tracers of grad are abstract in JAX; treadle's have the value that is there"
_GONE: Final = "the name is gone in JAX; treadle keeps it, since the FAQ speaks of it"

_KEPT_BY_XLA: Final = (
    "XLA of jaxlib 0.12 leaves log(exp(x)) as it is; treadle simplifies it, as the FAQ says"
)

JAX: Final = {
    "test_api_02_pjit_is_jit": _GONE,
    "test_api_03_xla_computation_returns_hlo_text": _GONE,
    "test_ben_05_small_eager_operations_compile_nothing": "JAX compiles each operation",
    "test_ben_08_64_bits_by_environment[TREADLE_ENABLE_X64]": "is treadle's variable",
    "test_don_06_pjit_donates": _GONE,
    "test_don_08_keyword_arguments_are_not_donated": (
        "JAX resolves keyword arguments to positions; treadle does what the FAQ says"
    ),
    "test_don_15_the_text_of_the_warning": _WORDS,
    "test_don_16_no_result_of_that_shape": _WORDS,
    "test_don_19_shape_and_element_type_must_match": _WORDS,
    "test_grd_08_abs_at_the_kink": "JAX's derivative of abs at 0 is 1; treadle's is 0, as sign",
    "test_grd_24_numpy_on_a_tracer_raises": _WORDS,
    "test_mth_02_the_text_of_that_error": _WORDS,
    "test_mth_14_the_error_names_the_function": _WORDS,
    "test_num_02_jit_cancels_where_it_is_asked_to": "is about treadle's simplifications",
    "test_num_03_the_jitted_result_is_y_where_it_is_asked_for": (
        "is about treadle's simplifications"
    ),
    "test_num_12_rewriting_can_be_switched_off": "is about treadle's simplifications",
    "test_plc_06_the_older_spelling": _GONE,
    "test_plc_10_a_platform_for_the_process[both]": "is about treadle's variable in addition to JAX's",
    "test_plc_11_platforms_that_cannot_start_are_passed_over[gpu,cpu]": (
        "JAX refuses to go on without a GPU that was asked for; the FAQ says that it does"
    ),
    "test_plc_14_the_older_variable[lower priority]": "is about treadle's variable in addition to JAX's",
    "test_plc_16_and_by_an_absl_flag[platform_name-jax]": _GONE,
    "test_plc_16_and_by_an_absl_flag[platform_name-treadle]": _GONE,
    "test_plc_21_two_committed_devices_raise": _WORDS,
    "test_trc_01_the_type_inside_jit": "is about the name of treadle's class",
    "test_val_02_what_print_shows": "the FAQ shows the text of an older JAX",
    "test_val_08_xla_computation_introduces_abstract_tracers": _GONE,
    "test_val_11_so_is_float": _CONCRETE,
    "test_val_13_which_casts_to_a_python_float": _CONCRETE,
    "test_val_19_traced_or_not_what_is_known_stays_known": (
        "JAX stages under jit what does not depend on arguments; treadle computes it"
    ),
    "test_val_22_concrete_tracers_carry_their_data": _CONCRETE,
    "test_val_27_grad_traces_all_positional_arguments": (
        "JAX passes arguments that are not differentiated as they are; the FAQ says otherwise"
    ),
}
JAX_0_10: Final = {
    "test_don_22_passing_a_donated_array_again": "raises ValueError in XLA's words; " + _WORDS,
    "test_mth_12_a_mutated_object_is_hashed_again": (
        "JAX remembers the hash of a bound object; treadle asks again, as the FAQ says"
    ),
}
JAX_0_12: Final = {
    "test_num_08_jit_drops_log_and_exp": _KEPT_BY_XLA,
    "test_num_09_log_of_exp_is_the_input": _KEPT_BY_XLA,
    "test_num_10_the_operations_are_gone_from_the_compiled_program": _KEPT_BY_XLA,
}
HOOK: Final = {
    "test_api_07_import_spellings_name_the_same_objects": "modules behind JAX's names are views",
    "test_mth_02_the_text_of_that_error": _WORDS + ", which say JAX behind its name",
    "test_trc_01_the_type_inside_jit": "classes have the names that JAX gives them",
}


def differences(peer: str, version: str) -> dict[str, str]:
    """Return the differences that are expected on a peer, where `version` is JAX's."""
    if peer == "hook":
        return HOOK
    major, minor = map(int, version.split(".")[:2])
    return {**JAX, **(JAX_0_10 if (major, minor) < (0, 11) else JAX_0_12)}
