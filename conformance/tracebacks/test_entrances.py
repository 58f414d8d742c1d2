"""Errors leave treadle without its frames: through every entrance, and however they are caught."""

from __future__ import annotations

import code
import functools
import importlib
import inspect
import io
import logging
import pkgutil
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FunctionType, TracebackType
from typing import Any, Final

import pytest

import treadle
from conformance.tracebacks import programs
from conformance.tracebacks.programs import PROGRAMS
from treadle_ir.errors import NO_BOUNDARY, has_handler
from treadle_ir.settings import TRACEBACK_FILTERING

SOURCES: Final = str(Path(treadle.__file__).parents[2].parent)  # of all packages
HERE: Final = str(Path(programs.__file__).parent)
MOST: Final = 20  # lines: of frames of the user, of the message and its notes
Way = Callable[[Callable[[], object]], str]
WAYS: Final[list[Way]] = []


def way(function: Way) -> Way:
    """Put on the list a function that runs a program, catches its error, and returns what is shown."""
    WAYS.append(function)
    return function


@way
def printed(program: Callable[[], object]) -> str:
    try:
        program()
    except Exception:
        return traceback.format_exc()
    return ""


@way
def logged(program: Callable[[], object]) -> str:
    stream = io.StringIO()
    logger = logging.Logger("test")
    logger.addHandler(logging.StreamHandler(stream))
    try:
        program()
    except Exception:
        logger.exception("caught")
    return stream.getvalue()


@way
def of_a_thread(program: Callable[[], object]) -> str:
    shown: list[str] = []
    before = threading.excepthook
    threading.excepthook = lambda args: shown.extend(
        traceback.format_exception(args.exc_type, args.exc_value, args.exc_traceback)
    )
    try:
        thread = threading.Thread(target=program)
        thread.start()
        thread.join()
    finally:
        threading.excepthook = before
    return "".join(shown)


@way
def of_a_pool(program: Callable[[], object]) -> str:
    with ThreadPoolExecutor(1) as pool:
        error = pool.submit(program).exception()
    assert error is not None
    return "".join(traceback.format_exception(error))


@way
def chained(program: Callable[[], object]) -> str:
    try:
        try:
            program()
        except Exception as error:
            raise RuntimeError("of the user") from error
    except RuntimeError:
        return traceback.format_exc()
    return ""


@way
def while_another_was_handled(program: Callable[[], object]) -> str:
    try:
        try:
            raise RuntimeError("of the user")
        except RuntimeError:
            program()
    except Exception:
        return traceback.format_exc()
    return ""


@way
def interactive(program: Callable[[], object]) -> str:
    shown: list[str] = []
    interpreter = code.InteractiveInterpreter({"program": program})
    interpreter.write = shown.append  # type: ignore[method-assign, assignment]
    interpreter.runsource("program()")
    return "".join(shown)


@pytest.mark.parametrize("caught", WAYS, ids=[each.__name__ for each in WAYS])
@pytest.mark.parametrize("program", PROGRAMS, ids=[each.__name__ for each in PROGRAMS])
def test_the_users_lines_are_shown_and_none_of_ours(
    program: Callable[[], object], caught: Way
) -> None:
    shown = caught(program)
    assert f'{HERE}/programs.py", line ' in shown, shown
    assert SOURCES not in shown
    two = caught in (chained, while_another_was_handled)
    assert len(shown.splitlines()) <= (2 if two else 1) * MOST, shown


def _frames(error: BaseException) -> list[TracebackType]:
    found = []
    each = error.__traceback__
    while each is not None:
        found.append(each)
        each = each.tb_next
    return found


def test_frames_of_the_users_between_frames_of_ours_stay() -> None:
    def inner(x: Any) -> Any:
        local = "inner"
        return treadle.tree.map(lambda leaf: programs.fails(local), {"x": x})

    def outer(x: Any) -> Any:
        local = "outer"
        return treadle.vmap(inner)(x), local

    with pytest.raises(KeyError) as caught:
        treadle.grad(treadle.jit(outer))(treadle.numpy.ones(3))
    frames = _frames(caught.value)
    names = [each.tb_frame.f_code.co_name for each in frames[1:]]
    assert names == ["outer", "inner", "<lambda>", "fails"]
    # A debugger finds their variables.
    assert [each.tb_frame.f_locals.get("local") for each in frames[1:3]] == ["outer", "inner"]


@pytest.mark.parametrize("filtering", ["off", "full", False])
def test_a_setting_shows_all_frames(filtering: object) -> None:
    with TRACEBACK_FILTERING.override(filtering):
        assert SOURCES in printed(programs.jit_of_a_mismatch)


@pytest.mark.parametrize("filtering", ["auto", "tracebackhide", "remove_frames", True])
def test_all_other_values_leave_them_out(filtering: object) -> None:
    with TRACEBACK_FILTERING.override(filtering):
        assert SOURCES not in printed(programs.jit_of_a_mismatch)


def _offered() -> Iterator[tuple[str, object]]:
    """Yield the public names of treadle's modules, with their values."""
    modules = [treadle]
    for found in pkgutil.walk_packages(treadle.__path__, "treadle."):
        if not any(part.startswith("_") for part in found.name.split(".")):
            modules.append(importlib.import_module(found.name))
    for module in modules:
        top = module.__name__.count(".") == 1 and module.__name__[8:] in dir(treadle)
        names = [name for name in vars(module) if name[0] != "_"] if top else ()
        for name in getattr(module, "__all__", names):
            value = getattr(module, name)
            yield (
                f"{module.__name__}.{name}",
                value.func if isinstance(value, functools.partial) else value,
            )


def test_every_public_function_and_method_is_a_boundary() -> None:
    missing = []
    for where, value in _offered():
        members = {where: value}
        if inspect.isclass(value) and not issubclass(value, BaseException):
            members = {f"{where}.{name}": member for name, member in vars(value).items()}
        for name, member in members.items():
            if (
                isinstance(member, FunctionType)
                and member.__globals__["__name__"].startswith(("treadle.", "treadle_"))
                and not name.rpartition(".")[2].startswith("_")
                and not member.__code__.co_flags & NO_BOUNDARY
                and not has_handler(member)
            ):
                missing.append(name)
    assert missing == []
