"""The log: the logger `treadle`, which events of first calls and explanations are written to.

`log_compiles` writes them as warnings; else they have the level DEBUG, so that `logging_level`, or code that sets up
the logger, can enable them. Nothing here is on the path of a call that has been compiled: it is asked where a function
is staged, lowered or compiled. The module `logging` is imported then.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from treadle_ir.settings.declared import LOG_COMPILES, LOGGING_LEVEL

if TYPE_CHECKING:
    import logging

    from treadle_ir.events.kinds import Event

NAME: Final = "treadle"
_HANDLER: Final = "treadle.stderr"  # the name of the handler that `logging_level` adds


def logger() -> logging.Logger:
    """Return the logger, at the level that the setting says."""
    import logging  # noqa: PLC0415 - imported when there may be something to log

    found = logging.getLogger(NAME)
    level = LOGGING_LEVEL()
    ours = [handler for handler in found.handlers if handler.name == _HANDLER]
    if level in (None, "NOTSET"):
        for handler in ours:
            found.removeHandler(handler)
            found.setLevel(logging.NOTSET)
    else:
        found.setLevel(level)
        if not ours:
            handler = logging.StreamHandler()
            handler.set_name(_HANDLER)
            handler.setFormatter(logging.Formatter("%(levelname)s:%(name)s: %(message)s"))
            found.addHandler(handler)
    return found


def wanted(loudly: bool) -> bool:
    """Return whether the log would show a message: a `loudly` requested one, or a message of level DEBUG."""
    if not loudly and "logging" not in sys.modules and LOGGING_LEVEL() in (None, "NOTSET"):
        return False  # no logger can have been set up
    import logging  # noqa: PLC0415 - as above

    return logger().isEnabledFor(logging.WARNING if loudly else logging.DEBUG)


def say(message: str, *, loudly: bool) -> None:
    """Write a message, as a warning or at level DEBUG."""
    import logging  # noqa: PLC0415 - as above

    logger().log(logging.WARNING if loudly else logging.DEBUG, message)


def logs_compiles() -> bool:
    """Return whether events of first calls are logged."""
    return wanted(LOG_COMPILES())


def log(event: Event) -> None:
    """Log what happened, if it is of the kind that is logged."""
    message = event.message()
    if message:
        say(message, loudly=LOG_COMPILES())
