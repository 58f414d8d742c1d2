"""How a process ends when another one is lost, so that it never hangs and always says why.

A collective whose peer is gone mostly fails by itself, and the exception names the peer (`client/failures.py`). Where
it does not, because the process waits inside XLA for ever, a thread ends the process after a grace period. jaxlib would
end the process at once when its coordination service is gone, with a message of its own; it does so by
`std::terminate`, where this module puts its own end in.
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
    """End the process after so many seconds, unless it is not wanted any more by then."""

    def work() -> None:
        if not _done.wait(seconds) and still_wanted():
            end(message())

    threading.Thread(target=work, name="treadle-ending", daemon=True).start()


_done: Final = threading.Event()  # never set: a wait that a debugger can see


def end(message: str) -> None:
    """End this process now, whatever its threads wait for, with a message."""
    text = f"{message}\n"
    try:
        sys.stdout.flush()
        sys.stderr.write(text)
        sys.stderr.flush()
    finally:
        os._exit(EXIT_CODE)


def replace_terminate(instead: Callable[[], None]) -> object:
    """Have C++ call this where it would end the process by `std::terminate`; what comes back has to be kept.

    Where the C++ library is not the usual one, nothing changes, and jaxlib's own message is the last word.
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
