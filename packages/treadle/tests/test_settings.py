"""Every setting can be set by `config`, by both variables of the environment, and by its context manager."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import managers, random
from treadle.errors import (
    ArgumentError,
    DTypeError,
    KeyReuseError,
    LeakedTracerError,
    ShapeError,
)
from treadle.settings import STRICT, names
from treadle_ir.settings import SETTINGS, process_context

# A value of each setting that is not its default, as Python gives it and as the environment writes it.
OTHERS: dict[str, tuple[Any, str]] = {
    "array_garbage_collection_guard": ("log", "log"),
    "captured_constants_report_frames": (3, "3"),
    "captured_constants_warn_bytes": (7, "7"),
    "compilation_cache_dir": ("folder", "folder"),
    "compilation_cache_max_size": (1024, "1024"),
    "cpu_collectives_implementation": ("mpi", "mpi"),
    "default_device": ("cpu", "cpu"),
    "default_matmul_precision": ("highest", "highest"),
    "distributed_grace_seconds": (3, "3"),
    "dump_ir_modes": (("jaxpr",), "jaxpr"),
    "dump_ir_to": ("folder", "folder"),
    "explicit_x64_dtypes": ("error", "error"),
    "legacy_prng_key": ("warn", "warn"),
    "advice": ("off", "off"),
    "logging_level": ("INFO", "INFO"),
    "memory_fitting_level": ("O1", "O1"),
    "num_cpu_devices": (2, "2"),
    "numpy_dtype_promotion": ("strict", "strict"),
    "numpy_rank_promotion": ("raise", "raise"),
    "optimization_level": ("O1", "O1"),
    "persistent_cache_min_compile_time_secs": (0.5, "0.5"),
    "persistent_cache_min_entry_size_bytes": (9, "9"),
    "platform_name": ("cpu", "cpu"),
    "roll": ("all", "all"),
    "platforms": ("cpu", "cpu"),
    "random_seed_offset": (-4, "-4"),
    "traceback_filtering": ("off", "off"),
    "tracer_error_num_traceback_frames": (2, "2"),
    "default_prng_impl": ("rbg", "rbg"),
    "transfer_guard": ("log", "log"),
    "transfer_guard_device_to_device": ("log", "log"),
    "transfer_guard_device_to_host": ("log", "log"),
    "transfer_guard_host_to_device": ("log", "log"),
}
# Those that take one value: what asks for another is refused.
ONE_VALUE = {
    "error_checking_behavior_divide": "raise",
    "error_checking_behavior_nan": "raise",
    "error_checking_behavior_oob": "raise",
}
BEFORE_THE_START = {"cpu_enable_async_dispatch", "num_cpu_devices", "platform_name", "platforms"}
DECLARED = [*names()]


def other(name: str) -> tuple[Any, str]:
    if name in OTHERS:
        return OTHERS[name]
    assert isinstance(SETTINGS[name].default, bool), f"give a value for {name}"
    return not SETTINGS[name].default, "no" if SETTINGS[name].default else "yes"


@pytest.fixture(autouse=True)
def settings_as_before() -> Iterator[None]:
    before = process_context[0]
    yield
    process_context[0] = before


@pytest.mark.parametrize("name", sorted({*DECLARED} - {*ONE_VALUE} - BEFORE_THE_START))
def test_config_and_override(name: str) -> None:
    value, _ = other(name)
    before = treadle.config.read(name)
    for prefix in ("treadle_", "jax_", ""):
        treadle.config.update(prefix + name, value)
        assert treadle.config.read(name) == value
        assert getattr(treadle.config, f"jax_{name}") == value
        treadle.config.update(prefix + name, before)
        assert treadle.config.read(name) == before
    with SETTINGS[name].override(value):
        assert getattr(treadle.config, f"treadle_{name}") == value
    assert treadle.config.read(name) == before


@pytest.mark.parametrize("name", ONE_VALUE)
def test_what_is_missing_is_said(name: str) -> None:
    treadle.config.update(name, SETTINGS[name].default)
    with pytest.raises(ArgumentError, match=f"setting `{name}` is .*, which asks for"):
        treadle.config.update(name, ONE_VALUE[name])


SHOW = """
import json, sys
import treadle
json.dump({name: treadle.config.read(name) for name in json.load(sys.stdin)}, sys.stdout)
"""


@pytest.mark.parametrize("prefix", ["TREADLE_", "JAX_"])
def test_the_environment(prefix: str) -> None:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("TREADLE_", "JAX_"))}
    wanted = {name: other(name) for name in DECLARED if name not in ONE_VALUE}
    variables = {prefix + name.upper(): text for name, (_, text) in wanted.items()}
    done = subprocess.run(
        [sys.executable, "-c", SHOW],
        env={**clean, **variables},
        input=json.dumps([*wanted]),
        capture_output=True,
        text=True,
    )
    assert not done.stderr
    found = json.loads(done.stdout)
    expected = {k: [*v] if isinstance(v, tuple) else v for k, (v, _) in wanted.items()}
    assert found == expected


MANAGERS = {
    name: each for name, each in vars(managers).items() if isinstance(each, managers.SettingManager)
}


@pytest.mark.parametrize("name", MANAGERS)
def test_context_managers_are_public_and_of_one_thread(name: str) -> None:
    manager = MANAGERS[name]
    assert getattr(treadle, name) is manager
    assert manager.setting.name == manager.__name__ == name
    assert manager.setting.help in (manager.__doc__ or "")
    setting = manager.setting
    if name in ONE_VALUE:
        with manager(setting.default):
            assert setting() == setting.default
        return
    value, before = other(name)[0], setting()
    elsewhere = []
    with manager(value):
        assert setting() == value
        thread = threading.Thread(target=lambda: elsewhere.append(setting()))
        thread.start()
        thread.join()
        with manager(before):
            assert setting() == before
        assert setting() == value
    assert setting() == before
    assert elsewhere == [before]


def test_managers_of_switches_turn_on_and_others_need_a_value() -> None:
    with treadle.debug_nans():
        assert treadle.config.jax_debug_nans
    with pytest.raises(ArgumentError, match="transfer_guard: the value is missing"):
        treadle.transfer_guard()


def test_there_is_no_such_setting() -> None:
    with pytest.raises(AttributeError, match="did you mean 'treadle_debug_nans'"):
        treadle.config.update("jax_debug_nan", True)
    with pytest.raises(AttributeError, match="no setting 'treadle_nothing'"):
        treadle.config.treadle_nothing  # noqa: B018 - it raises
    with pytest.raises(ArgumentError, match="name"):
        treadle.config.update(3, True)  # type: ignore[arg-type]


def test_every_setting_says_what_it_does() -> None:
    for name in DECLARED:
        text = SETTINGS[name].help
        assert text.endswith("."), name
        assert len(text) > 20, name


UNKNOWN = """
import warnings
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    import treadle
    import treadle.numpy
    treadle.config.update("jax_debug_nans", True)
for each in said:
    print(each.category.__name__, each.message)
"""


def test_unused_variables_are_warned_of_once() -> None:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("TREADLE_", "JAX_"))}
    given = {
        "JAX_DEBUG_NAN": "1",
        "TREADLE_CASHE": "0",
        "TREADLE_CACHE": "0",
        "TREADLE_CONFORMANCE_LONG": "1",
        "JAX_PLATFORMS": "cpu",
    }
    done = subprocess.run(
        [sys.executable, "-c", UNKNOWN], env={**clean, **given}, capture_output=True, text=True
    )
    first, second = done.stdout.splitlines()
    assert "JAX_DEBUG_NAN has no effect" in first
    assert "did you mean 'JAX_DEBUG_NANS'" in first
    assert "TREADLE_CASHE has no effect" in second
    assert "did you mean 'TREADLE_CACHE'" in second


def test_a_wrong_value_in_the_environment_is_refused_at_the_start() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import treadle; treadle.config"],
        env={**os.environ, "JAX_TRANSFER_GUARD": "disalow"},
        capture_output=True,
        text=True,
    )
    assert "environment variable JAX_TRANSFER_GUARD is 'disalow'" in done.stderr
    assert "did you mean 'disallow'" in done.stderr


# ---- effects of settings that have no test of their own elsewhere


def test_indices_out_of_bounds() -> None:
    x = tnp.arange(6).reshape(2, 3)
    assert x[5].tolist() == [3, 4, 5]
    treadle.config.update("jax_check_static_indices", True)
    for call in (
        lambda: x[2],
        lambda: x[-3],
        lambda: x[0, 3],
        lambda: treadle.jit(lambda x: x[2])(x),
    ):
        with pytest.raises(IndexError, match="out of bounds"):
            call()
    assert x[-2, 2] == 2
    assert x.at[5].get(mode="clip").tolist() == [3, 4, 5]
    treadle.config.update("jax_check_static_indices", False)
    assert x[5].tolist() == [3, 4, 5]


def test_wide_types_by_name() -> None:
    with pytest.warns(UserWarning, match="Explicitly requested dtype float64"):
        assert tnp.zeros(2, "float64").dtype == "float32"
    treadle.config.update("jax_explicit_x64_dtypes", "error")
    for call in (lambda: tnp.zeros(2, "float64"), lambda: tnp.ones(2).astype("int64")):
        with pytest.raises(ValueError, match="is not available"):
            call()
    treadle.config.update("jax_explicit_x64_dtypes", "allow")
    x = tnp.zeros(2, "float64")
    assert x.dtype == "float64"
    assert (x + tnp.ones(2)).dtype == "float64"
    assert (x * 2).dtype == "float64"
    assert tnp.ones(2).astype("int64").dtype == "int64"
    assert tnp.asarray(np.ones(2)).dtype == "float32"  # no call named the type
    treadle.config.update("jax_explicit_x64_dtypes", "error")
    with pytest.raises(ValueError, match="is not available"):
        tnp.ones(2).astype("int64")


def test_random_keys() -> None:
    four = random.key_data(random.key(4)).tolist()
    treadle.config.update("jax_random_seed_offset", 1)
    assert random.key_data(random.key(3)).tolist() == four
    assert random.PRNGKey(3).tolist() == four
    assert treadle.jit(random.PRNGKey)(3).tolist() == four
    treadle.config.update("jax_random_seed_offset", 0)
    assert random.PRNGKey(4).tolist() == four
    with treadle.enable_custom_prng(True):
        assert random.PRNGKey(4).dtype == random.key(4).dtype
    raw = random.PRNGKey(0)
    with treadle.legacy_prng_key("warn"), pytest.warns(UserWarning, match="is a raw one"):
        random.normal(raw)
    with treadle.legacy_prng_key("error"):
        with pytest.raises(ArgumentError, match="is a raw one"):
            random.normal(raw)
        random.normal(random.key(0))


def test_tracebacks() -> None:
    program = "import treadle.numpy as tnp\ntnp.ones(2) + tnp.ones(3)\n"
    for variables, shows in (
        ({}, False),
        ({"JAX_TRACEBACK_FILTERING": "off"}, True),
        ({"TREADLE_TRACEBACK": "full"}, True),
        ({"TREADLE_TRACEBACK_FILTERING": "remove_frames"}, False),
    ):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
        )
        assert ("treadle_numpy" in done.stderr) == shows, variables


def test_information_for_reports(capsys: pytest.CaptureFixture[str]) -> None:
    text = treadle.print_environment_info(return_string=True)
    assert text is not None
    assert treadle.__version__ in text
    assert "cpu" in text
    assert treadle.print_environment_info() is None
    assert capsys.readouterr().out == text + "\n"


def test_information_tells_of_all_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treadle_runtime.process_count", lambda: 4)
    text = treadle.print_environment_info(return_string=True)
    assert text is not None
    assert "process_count: 4" in text.splitlines()


def test_the_width_has_another_name_to_read_it_by() -> None:
    assert treadle.config.x64_enabled is False
    with treadle.enable_x64():
        assert treadle.config.x64_enabled is True


def test_all_values_at_once() -> None:
    values = treadle.config.values
    assert values["treadle_debug_nans"] is values["jax_debug_nans"] is False
    with treadle.debug_nans(True):
        assert treadle.config.values["jax_debug_nans"] is True
    values["jax_debug_nans"] = True  # a copy
    assert treadle.config.treadle_debug_nans is False


def test_choices_may_have_other_numbers_of_axes_whatever_the_setting_says() -> None:
    table, row = tnp.ones((2, 3)), tnp.ones(3)
    with treadle.numpy_rank_promotion("raise"):
        assert tnp.where(table > 0, row, 0.0).shape == (2, 3)
        assert tnp.select([row > 0], [table]).shape == (2, 3)
        with pytest.raises(ShapeError, match="different numbers of axes"):
            table + row


def test_functions_may_broadcast_what_they_make_whatever_the_setting_says() -> None:
    with treadle.numpy_rank_promotion("raise"):
        _, spectrum = treadle.scipy.signal.welch(tnp.ones((2, 16)), nperseg=8)  # times a window
    assert spectrum.shape == (2, 5)


class _Holder:
    value: object = 1

    def _set(self, value: object) -> None:
        self.value = value


def test_options_of_a_library() -> None:
    holder = _Holder()
    treadle.config.add_option("test_depth", holder, int, [], {"help": "How deep."})
    assert treadle.config.read("test_depth") == treadle.config.values["test_depth"] == 1
    treadle.config.update("test_depth", 4)
    assert holder.value == treadle.config.read("test_depth") == 4
    assert treadle.config.meta["test_depth"] == (int, [], {"help": "How deep."})
    for taken in ("test_depth", "jax_enable_x64"):
        with pytest.raises(ArgumentError, match="already"):
            treadle.config.add_option(taken, holder, int, [], {})


def test_what_options_are_for() -> None:
    kind, more, named = treadle.config.meta["jax_enable_x64"]
    assert (kind, more, [*named]) == (bool, [], ["help"])
    assert treadle.config.meta["treadle_enable_x64"] == (kind, more, named)


def test_conversions_follow_the_width_in_force() -> None:
    x = tnp.arange(3, dtype="int32")
    for wide in (True, False, True, False):
        with treadle.enable_x64(wide):
            assert tnp.astype(x, float).dtype == (np.float64 if wide else np.float32)


STRICT_CHECKS = """\
import json
import treadle
print(json.dumps({name: treadle.config.read(f"treadle_{name}") for name in %r}))
"""


def strict_values(**environ: str) -> dict[str, Any]:
    """Return the settings of `config.strict()` in a process with these variables."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("TREADLE_")}
    command = [sys.executable, "-W", "error", "-c", STRICT_CHECKS % [*STRICT]]
    done = subprocess.run(command, capture_output=True, text=True, env={**known, **environ})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_environment_turns_strictness_on() -> None:
    defaults = {name: SETTINGS[name].default for name in STRICT}
    assert strict_values() == defaults
    assert strict_values(TREADLE_STRICT="0") == defaults
    assert strict_values(TREADLE_STRICT="1") == dict(STRICT)


def test_the_variable_of_one_setting_takes_precedence_over_strictness() -> None:
    values = strict_values(TREADLE_STRICT="1", TREADLE_DEBUG_NANS="0", JAX_DEBUG_KEY_REUSE="0")
    assert values == {**STRICT, "debug_nans": False, "debug_key_reuse": False}


def test_a_word_that_is_neither_yes_nor_no_is_refused() -> None:
    command = [sys.executable, "-c", "import treadle"]
    environ = {**os.environ, "TREADLE_STRICT": "perhaps"}
    done = subprocess.run(command, capture_output=True, text=True, env=environ)
    assert done.returncode == 1
    assert "environment variable TREADLE_STRICT is 'perhaps'" in done.stderr
    assert "fix: unset TREADLE_STRICT, or set it to 1 or 0" in done.stderr


def test_strictness_of_the_process_turns_silent_mistakes_into_errors() -> None:
    x, key = tnp.arange(3.0), random.key(0)
    treadle.config.strict()
    try:
        with pytest.raises(FloatingPointError):
            tnp.log(x - 1)
        with pytest.raises(IndexError):
            x[3]
        with pytest.raises(DTypeError):
            tnp.ones(3, "float64")
        random.normal(key)
        with pytest.raises(KeyReuseError):
            random.normal(key)
        kept: list[object] = []
        with pytest.raises(LeakedTracerError):
            treadle.jit(kept.append)(1.0)
    finally:
        treadle.config.strict(False)
    assert tnp.isnan(tnp.log(x - 1)).any()
    assert x[3] == 2.0


def test_strictness_is_on_or_off() -> None:
    with pytest.raises(ArgumentError, match="on"):
        treadle.config.strict("yes")  # type: ignore[arg-type]  # what is refused
