"""Contexts are values: equal ones are one object; settings come from the process, the environment and `with` blocks."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator

import pytest
from hypothesis import given, strategies as st

from treadle_ir import ArgumentError
from treadle_ir.settings import (
    SETTINGS,
    X64,
    Context,
    Setting,
    current_context,
    named_axis,
    one_of,
    yes_or_no,
)


@pytest.fixture
def level() -> Iterator[Setting[int]]:
    setting = Setting("test_level", 1, parse=int, help="A number.")
    yield setting
    setting.set(1)
    del SETTINGS["test_level"]


def test_a_setting_has_its_default_until_it_is_set(level: Setting[int]) -> None:
    assert level() == 1
    level.set("3")
    assert level() == 3


def test_an_override_ends_with_its_block_also_by_an_exception(level: Setting[int]) -> None:
    def fails() -> None:
        with level.override(3):
            raise KeyError(level())

    with level.override(2):
        with pytest.raises(KeyError, match="3"):
            fails()
        assert level() == 2
    assert level() == 1


def test_one_override_may_be_entered_again_and_within_itself(level: Setting[int]) -> None:
    two = level.override(2)
    for _ in range(2):
        with two, level.override(5), two:
            assert level() == 2
    assert level() == 1


def test_the_process_changes_below_overrides_of_other_settings(level: Setting[int]) -> None:
    with X64.override(True):
        level.set(7)
        assert (level(), X64()) == (7, True)
    assert level() == 7


def test_threads_start_without_overrides(level: Setting[int]) -> None:
    seen = []
    with level.override(2):
        thread = threading.Thread(target=lambda: seen.append(level()))
        thread.start()
        thread.join()
    assert seen == [1]


def test_equal_contexts_are_one_object(level: Setting[int]) -> None:
    with level.override(2):
        one = current_context()
    with level.override(3), level.override(2):
        assert current_context() is one
    with level.override(3):
        assert current_context() is not one


def test_a_default_that_is_asked_for_changes_nothing(level: Setting[int]) -> None:
    outside = current_context()
    with level.override(1):
        assert current_context() is outside


@given(st.lists(st.tuples(st.sampled_from("ijk"), st.integers(1, 4)), max_size=4))
def test_contexts_of_the_same_axes_are_one_object(axes: list[tuple[str, int]]) -> None:
    def inside(rest: list[tuple[str, int]]) -> Context:
        if not rest:
            return current_context()
        with named_axis(*rest[0]):
            return inside(rest[1:])

    assert inside(axes) is inside(axes)
    assert inside(axes).axes == tuple([(name, size, "mapped") for name, size in axes])


def test_values_that_are_equal_and_of_other_classes_are_kept_apart() -> None:
    setting: Setting[object] = Setting("test_any", None, help="Anything.")
    try:
        contexts = []
        for value in (1, True, 1.0):
            with setting.override(value):
                contexts.append(current_context())
        assert len({*map(id, contexts)}) == 3
    finally:
        del SETTINGS["test_any"]


def test_what_programs_do_not_depend_on_is_not_in_keys() -> None:
    setting = Setting("test_loud", False, parse=yes_or_no, help="Tell more.", keyed=False)
    try:
        outside = current_context()
        with setting.override(True):
            assert current_context() is not outside
            assert current_context().key is outside.key
    finally:
        del SETTINGS["test_loud"]


def test_contexts_are_let_go(level: Setting[int]) -> None:
    with level.override(99):
        left = weakref.ref(current_context())
    gc.collect()
    assert left() is None


def test_a_second_setting_of_a_name_is_refused(level: Setting[int]) -> None:
    with pytest.raises(ValueError, match="there is a setting `test_level` already"):
        Setting("test_level", 1, help="Another.")


def test_a_value_that_a_setting_cannot_take_is_refused(level: Setting[int]) -> None:
    choice = one_of("low", "high")
    with pytest.raises(ValueError, match="is none of 'low', 'high'; did you mean 'high'"):
        choice("hight")
    with pytest.raises(ArgumentError, match="setting `enable_x64` is 'perhaps', which is neither"):
        X64.set("perhaps")
    with pytest.raises(ArgumentError, match="`test_level` is 'much'"), level.override("much"):
        pass
    assert level() == 1


@pytest.mark.parametrize("variable", ["TREADLE_ENABLE_X64", "OTHER_ENABLE_X64"])
def test_the_environment_sets_defaults(variable: str) -> None:
    code = "from treadle_ir.settings import X64, read_prefix; read_prefix('OTHER_'); print(X64())"
    clean = {k: v for k, v in os.environ.items() if not k.endswith("ENABLE_X64")}
    for text, expected in {"1": "True", "off": "False"}.items():
        done = subprocess.run(
            [sys.executable, "-c", code], env={**clean, variable: text}, capture_output=True
        )
        assert done.stdout.decode().strip() == expected
    wrong = subprocess.run(
        [sys.executable, "-c", code], env={**clean, variable: "maybe"}, capture_output=True
    )
    assert f"environment variable {variable} is 'maybe'" in wrong.stderr.decode()


def test_what_only_calls_depend_on_is_watched_and_not_in_the_keys_of_programs() -> None:
    setting = Setting("test_seen", False, parse=yes_or_no, help="Look.", instrumented=True)
    try:
        outside = current_context()
        assert not outside.instrumented
        with setting.override(True):
            inside = current_context()
            assert inside.instrumented
            assert inside.key is not outside.key
            assert inside.programs is outside.programs
            with X64.override(True):
                assert current_context().programs is not outside.programs
        with X64.override(True):
            assert not current_context().instrumented
    finally:
        del SETTINGS["test_seen"]


def test_the_environment_watches_too() -> None:
    code = "from treadle_ir.settings import current_context; print(current_context().instrumented)"
    environment = {**os.environ, "TREADLE_DEBUG_NANS": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
    assert done.stdout.decode().strip() == "True"


def test_who_applies_a_value_is_told_before_it_counts() -> None:
    told: list[object] = []

    def applied(value: bool) -> None:
        told.append(value)
        if value:
            raise RuntimeError("not now")

    setting = Setting("test_applied", False, parse=yes_or_no, help="Do.", applied=applied)
    try:
        with pytest.raises(RuntimeError, match="not now"):
            setting.set("yes")
        assert told == [True]
        assert not setting()
    finally:
        del SETTINGS["test_applied"]


def test_what_differs_is_told_in_words(level: Setting[int]) -> None:
    outside = current_context()
    with level.override(4), named_axis("i", 3):
        assert current_context().differences(outside) == [
            "test_level is 4, was 1",
            "the named axes are {'i': 3}, were {}",
        ]
    assert not outside.differences(outside)


def test_a_change_of_the_context_decorates_functions(level: Setting[int]) -> None:
    outside = level()

    @level.override(4)
    def read(more: int, *, times: int = 1) -> tuple[int, int]:
        """Return the level, increased."""
        return level() + more, times

    assert (read(1), read(2, times=3)) == ((5, 1), (6, 3))  # entered again by each call
    assert read.__name__ == "read"
    assert level() == outside


def test_settings_of_users_own_are_not_listed() -> None:
    one, other = [
        Setting("user", 0, help="A value of the user's own.", listed=False) for _ in range(2)
    ]
    assert "user" not in SETTINGS
    with one.override(3):
        assert (one(), other()) == (3, 0)
