"""What IPython, which does not ask `sys.excepthook`, is given to show."""

from __future__ import annotations

import sys
from types import SimpleNamespace, TracebackType
from typing import Any

import pytest

import treadle
import treadle.numpy as tnp
from treadle import tracebacks


class Shell:
    """As much of IPython's shell as takes part."""

    def __init__(self, custom: tuple[type, ...] = ()) -> None:
        self.custom_exceptions = custom
        self.handler: Any = None
        self.shown: list[Any] = []

    def set_custom_exc(self, kinds: tuple[type, ...], handler: Any) -> None:
        self.custom_exceptions, self.handler = kinds, handler

    def showtraceback(self, what: Any, tb_offset: int | None = None) -> None:
        self.shown.append((*what, tb_offset))


def _installed(monkeypatch: pytest.MonkeyPatch, shell: Shell | None) -> None:
    module = SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", module)  # type: ignore[arg-type]  # as much as is asked for
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    tracebacks.install()


def _files(traceback: TracebackType | None) -> list[str]:
    found = []
    while traceback is not None:
        found.append(traceback.tb_frame.f_code.co_filename)
        traceback = traceback.tb_next
    return found


@pytest.mark.parametrize("filtering", ["auto", "off"])
def test_it_is_shown_the_user_s_lines(monkeypatch: pytest.MonkeyPatch, filtering: str) -> None:
    shell = Shell()
    _installed(monkeypatch, shell)
    with pytest.raises(treadle.errors.ShapeError) as caught:
        treadle.jit(lambda x: tnp.add(x, tnp.ones(4)))(tnp.ones(3))
    error = caught.value
    with tracebacks.FILTERING.override(filtering):
        shell.handler(shell, type(error), error, error.__traceback__, tb_offset=1)
    ((kind, value, traceback, offset),) = shell.shown
    assert (kind, value, offset) == (type(error), error, 1)
    files = _files(traceback)
    assert set(files) == {__file__} if filtering == "auto" else len(files) > 2


def test_handlers_of_the_users_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = Shell(custom=(ValueError,))
    _installed(monkeypatch, shell)
    assert shell.handler is None
    _installed(monkeypatch, None)  # IPython was imported and does not run
