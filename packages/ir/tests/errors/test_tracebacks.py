"""Functions through which errors leave without treadle's frames: what the change of their code keeps."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import pytest

from treadle_ir.errors import boundary as package
from treadle_ir.errors.kinds import ArgumentError
from treadle_ir.errors.tracebacks import boundaries, boundary, has_handler, remove_own_frames, users

SOURCE = """
from contextlib import contextmanager

def plain(x):
    return 1 / x

def closure(y):
    def inner(x):
        return y / x
    return inner

quotient = closure(1)

def nested(x, seen=()):
    seen = [*seen]
    try:
        try:
            return 1 / x
        except KeyError:
            seen.append("never")
        finally:
            seen.append("inner")
    finally:
        seen.append("outer")

def with_block(x):
    @contextmanager
    def block():
        yield
    with block():
        return [1 / each for each in (x,)][0]

def loop(x):
    total = 0
    for each in range(3):
        while each:
            each -= 1
            try:
                total += int(1 / x)
            except TypeError as error:
                raise ValueError(str(error)) from error
    return total

def answered(x):
    try:
        return 1 / x
    except ZeroDivisionError:
        return "answered"

def many_constants(x):
    table = (TABLE)
    return 1 / x
""".replace("TABLE", "None, x, " + ", ".join([f"{i}.5 + x" for i in range(150)]))
NAMES = ["plain", "quotient", "nested", "with_block", "loop", "answered", "many_constants"]


def _functions() -> dict[str, Any]:
    """The functions, as if they were in a module of treadle's."""
    names: dict[str, Any] = {"__name__": "treadle_example"}
    exec(compile(SOURCE, package.__code__.co_filename, "exec"), names)
    return names


def _outcome(function: Callable[..., object], x: object) -> object:
    try:
        return function(x)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("x", [2, 0, "a"])
def test_the_function_does_what_it_did(name: str, x: object) -> None:
    before, after = _functions()[name], _functions()[name]
    assert boundary(after) is after
    assert has_handler(after)
    for _ in range(50):  # the interpreter specialises what runs often
        assert _outcome(after, x) == _outcome(before, x)
    assert sys.exception() is None


@pytest.mark.parametrize("name", [name for name in NAMES if name != "answered"])
def test_its_frames_are_gone(name: str) -> None:
    function = boundary(_functions()[name])
    with pytest.raises(ZeroDivisionError) as caught:
        function(0)
    frames = [each.name for each in traceback.extract_tb(caught.value.__traceback__)]
    assert frames == ["test_its_frames_are_gone"]


def test_an_error_of_another_class_names_the_switch() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        boundary(_functions()["plain"])(0)
    assert caught.value.__notes__ == [
        "  treadle's own frames are left out; TREADLE_TRACEBACK=full shows them"
    ]


def test_it_is_done_once() -> None:
    function = boundary(_functions()["plain"])
    code = function.__code__
    assert boundary(function).__code__ is code


def test_functions_of_others_stay_as_they_are() -> None:
    def users_own() -> None:
        pass

    code = users_own.__code__
    boundary(users_own)
    assert users_own.__code__ is code


def test_generators_stay_as_they_are() -> None:
    names: dict[str, Any] = {"__name__": "treadle_example"}
    exec("def generator():\n  yield 1\n", names)
    function: FunctionType = names["generator"]
    assert not has_handler(boundary(function))
    assert [*function()] == [1]


def test_methods_and_properties_of_classes() -> None:
    names: dict[str, Any] = {"__name__": "treadle_example"}
    text = """
class Example:
    def method(self): return 1 / 0
    @property
    def value(self): return 1 / 0
    @staticmethod
    def static(): return 1 / 0
    @classmethod
    def of(cls): return 1 / 0
    def __call__(self): return 1 / 0
"""
    exec(compile(text, package.__code__.co_filename, "exec"), names)
    example = boundary(names["Example"])()
    for call in (example.method, lambda: example.value, example.static, example.of, example):
        with pytest.raises(ZeroDivisionError) as caught:
            call()
        files = {each.filename for each in traceback.extract_tb(caught.value.__traceback__)}
        assert files == {__file__}


def test_lines_can_be_traced() -> None:
    function = boundary(_functions()["plain"])
    lines: list[int | None] = []

    def trace(frame: Any, event: str, argument: object) -> Any:
        if frame.f_code is function.__code__:
            lines.append(frame.f_lineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with pytest.raises(ZeroDivisionError):
            function(0)
    finally:
        sys.settrace(before)
    assert 5 in lines


def test_causes_are_shortened_and_answered_contexts_hidden() -> None:
    def answering() -> None:
        try:
            _functions()["plain"](0)
        except ZeroDivisionError as context:
            context.__traceback__ = context.__traceback__ and context.__traceback__.tb_next
            raise ArgumentError("what", where="") from None

    with pytest.raises(ArgumentError) as caught:
        answering()
    error = caught.value
    error.__suppress_context__ = False
    remove_own_frames(error)
    assert error.__suppress_context__
    assert error.__context__ is not None
    assert error.__context__.__traceback__ is not None  # nothing of it is the user's, and it stays
    assert users(error.__context__.__traceback__) is None


def test_a_module_keeps_no_name_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("treadle_example")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    vars(module)["boundaries"] = boundaries
    exec(SOURCE + "\nboundaries(__name__)", vars(module))
    assert has_handler(module.plain)
    assert not hasattr(module, "boundaries")
