"""What jaxlib's exceptions say of a failed execution, in treadle's words: no status codes, no traces of C++."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from treadle_ir import ArrayType, TreadleError
from treadle_ir.errors import (
    DonatedError,
    ExecutionError as ExecutionError,
    OutOfMemoryError as OutOfMemoryError,
)
from treadle_runtime.client.peers import met

_CODE: Final = r"^([A-Z]+(?:_[A-Z]+)*): "
_ASKED: Final = r"\balloc\w* ([\d,]+) ?(?:bytes|B)\b"
_TRACEBACK: Final = "Traceback (most recent call last):\n"
_COLLECTIVE: Final = r"(?i)gloo|nccl|rendezvous|unavailable|connection|coordination"
_UNITS: Final = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")


class PlatformError(TreadleError, RuntimeError):
    """A platform cannot be started, or has not been started."""


class PlatformWarning(UserWarning):
    """An accelerator is installed and cannot be used, so that work goes to another platform."""


def execution_error(error: BaseException, results: Sequence[ArrayType] = ()) -> TreadleError:
    """Return the exception to raise instead of jaxlib's; `results` are the types of the program's results."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    first = lines[0] if lines else type(error).__name__
    if "deleted or donated" in first:
        return deleted()
    if "RESOURCE_EXHAUSTED" in first:
        return _out_of_memory(first, results)
    if met:  # several processes: a collective fails in its own words when one is lost, whose name is known elsewhere
        wait = 2.0 if re.search(_COLLECTIVE, str(error)) else 0.0
        lost = met[0].error("a program over several processes failed", wait)
        if lost is not None:
            return lost
    raised = _raised(str(error))
    if raised is not None:
        return ExecutionError(f"a callback of a compiled program raised {raised}")
    lines[:1] = [re.sub(_CODE, "", first)]
    return ExecutionError(f"a compiled program failed: {'; '.join(lines[:8])}")


def _raised(message: str) -> str | None:
    """Return the exception at the end of Python's traceback in a message, and where it was raised.

    A GPU calls back long after the program was started, when no caller is left to which the exception could propagate.
    """
    _, found, trace = message.rpartition(_TRACEBACK)
    if not found:
        return None
    lines = trace.splitlines()
    frames = [*takewhile(lambda line: line.startswith(" "), lines)]
    place = next((line.strip() for line in reversed(frames) if line.startswith("  File ")), "")
    text = "\n".join(lines[len(frames) :]).strip()
    return f"{text}\n  at {place.removeprefix('File ')}" if place else text


def deleted() -> DonatedError:
    """Return the error for a buffer that jaxlib has given away."""
    return DonatedError(
        "this array's memory has been donated or deleted",
        fix="use the result of the call that it was donated to, or do not donate it",
    )


def size_text(count: int) -> str:
    """Return a number of bytes as people read it.

    Example:
        >>> size_text(12), size_text(3 << 29)
        ('12 bytes', '1.5 GiB')
    """
    value, unit = float(count), 0
    while value >= 1024 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    return f"{value:.1f} {_UNITS[unit]}" if unit else f"{count} bytes"


def _out_of_memory(message: str, results: Sequence[ArrayType]) -> OutOfMemoryError:
    asked = re.search(_ASKED, message)
    if asked is None:
        return _smaller(f"out of memory: {re.sub(_CODE, '', message)}")
    return too_large(int(asked.group(1).replace(",", "")), results)


def too_large(size: int, results: Sequence[ArrayType]) -> OutOfMemoryError:
    """Return the error for an allocation of `size` bytes, perhaps for one of a program's results."""
    exactly = f" ({size} bytes)" if size >= 1024 else ""
    what = f"out of memory: a compiled program asked for {size_text(size)}{exactly}"
    fitting = [index for index, type in enumerate(results) if type.nbytes == size]
    if fitting:
        which = f"result {fitting[0]}" if len(results) > 1 else "its result"
        what += f" for {which}, {results[fitting[0]]}"
    return _smaller(what)


def _smaller(what: str) -> OutOfMemoryError:
    return OutOfMemoryError(
        what, fix="use smaller arrays or batches, donate arguments, delete arrays, or checkpoint"
    )
