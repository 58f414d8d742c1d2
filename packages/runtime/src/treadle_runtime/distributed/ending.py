"""Termination of a process after another one has failed, so that it never hangs and always reports the reason.

A collective whose peer is gone usually fails, and the exception names the peer (`client/failures.py`). If it does not,
because the process waits inside XLA for ever, a thread ends the process after a grace period. jaxlib would end the
process immediately when its coordination service is gone, with its own message, by `std::terminate`; this module
replaces that handler.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable
from typing import Final

EXIT_CODE: Final = 1


def end_after(seconds: float, still_wanted: Callable[[], bool], message: Callable[[], str]) -> None:
    """End the process with `message` after `seconds`, unless `still_wanted` returns False by then."""

    def work() -> None:
        if not _done.wait(seconds) and still_wanted():
            end(message())

    threading.Thread(target=work, name="treadle-ending", daemon=True).start()


_done: Final = threading.Event()  # never set: a wait that a debugger can see


def end(message: str) -> None:
    """End this process now with `message`, whatever its threads are waiting for."""
    text = f"{message}\n"
    try:
        sys.stdout.flush()
        sys.stderr.write(text)
        sys.stderr.flush()
    finally:
        os._exit(EXIT_CODE)


def replace_terminate(instead: Callable[[], None]) -> object:
    """Make C++ call `instead` where it would end the process by `std::terminate`.

    With an unusual C++ library nothing changes, and jaxlib prints its own message.

    Returns:
        An object to which the caller must hold a reference.
    """
    kind = ctypes.CFUNCTYPE(None)
    function = kind(instead)
    try:
        install = ctypes.CDLL("libstdc++.so.6")._ZSt13set_terminatePFvvE
    except (OSError, AttributeError):
        return None
    install.argtypes, install.restype = [kind], ctypes.c_void_p
    install(function)
    return function
