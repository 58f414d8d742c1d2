"""A process that hands the hostile values to one part of the functions, and prints what it found.

It may take little memory, so that what asks for too much meets its end here. It writes down what it is about to call,
so that the parent process can name a call that did not return.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NoReturn

import numpy as np

from conformance.brief import kept
from conformance.hostile.calls import LEFT_OPERANDS, OBJECTS, Call, calls
from conformance.hostile.values import UsersError, values
from treadle.errors import TreadleError

MEMORY: Final = 6 << 30  # bytes of addresses: XLA's libraries and threads take about three
# One call. What fills the memory it may take spends seconds in the kernel, which hands out pages: a hang is longer.
SECONDS: Final = 30.0


class TooLongError(BaseException):
    """A call took more than `SECONDS`."""


def _too_long(*_: object) -> NoReturn:
    raise TooLongError


def outcome(call: Call, place: int | str, value: Any) -> str | None:
    """`_outcome`, also where the alarm goes off on the way out."""
    try:
        return _outcome(call, place, value)
    except TooLongError:
        return f"it took more than {SECONDS} s"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _outcome(call: Call, place: int | str, value: Any) -> str | None:
    """Call `call` with `value` at `place`. Return a description of what it did wrong, or None."""
    positional, named = call.arguments()
    if isinstance(place, int):
        positional[place] = value
    else:
        named[place] = value
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        result = call.function(*positional, **named)
    except TreadleError as error:
        return None if str(error) else "an error without a message"
    except UsersError:
        return None
    except TooLongError:
        raise
    except BaseException as error:  # of whatever kind, that is what is being looked for
        owned = _is_of_the_user(error, value) or _is_of_the_left_operand(call, error)
        return None if owned else _told(error)
    if isinstance(result, np.ndarray) and result.dtype == object and result is not value:
        return None if call.name in OBJECTS else "the result is a NumPy array of objects"
    return None


def _is_of_the_left_operand(call: Call, error: BaseException) -> bool:
    """Return whether another class's code raised `error` before treadle was reached, where that is allowed."""
    frames = _files(error)
    return (
        call.name in LEFT_OPERANDS
        and bool(frames)
        and not any("/packages/" in each for each in frames)
    )


def _files(error: BaseException) -> list[str]:
    """Return the files through which an error went, outermost first, without the law's own file."""
    return [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)][1:]


def _is_of_the_user(error: BaseException, value: Any) -> bool:
    """Return whether Python words the error: the user called something with arguments that it does not take.

    That is treadle's function with arguments too many or none such; the hostile value, as a function of another
    number of arguments; or a function of the table with what it has no operator for.
    """
    frames = _files(error)
    if isinstance(error, TypeError):
        if not frames:
            return True
        if callable(value) and str(error).startswith(_calls_of(value)):
            return True
    known = [each for each in frames if "/packages/" in each or "hostile/calls" in each]
    return bool(known) and "hostile/calls" in known[-1]


def _calls_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return how Python's own errors about the arguments of `function` begin."""
    name = getattr(function, "__qualname__", "")
    if isinstance(function, type) and issubclass(function, np.generic):
        return "function takes", f"{name}()", "int() argument must be"
    return (f"{name}()", f"{name}.__new__()") if name else ()


def _told(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {str(error)[:120]}"
    except Exception:  # of a user's class
        return type(error).__name__


def faults(part: int, parts: int, about_to: Path) -> Iterator[tuple[str, str, str, str]]:
    """Function, parameter, value and what is wrong, for each fault of a part of the table."""
    turn = 0  # in a brief run each place gets values that the previous one did not
    for call in list(calls())[part::parts]:
        positional, named = call.arguments()
        call.function(*positional, **named)  # it is valid
        for place, parameter in call.places().items():
            about_to.write_text(f"{call.name}({parameter}=...)")
            turn += 1
            for name, value in kept("hostile/run.py::faults", [*values().items()], turn):
                wrong = outcome(call, place, value)
                if wrong is not None:
                    yield call.name, parameter, name, wrong


def main() -> None:
    """Write the faults of a part as JSON."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, _too_long)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    part, parts, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    start = time.perf_counter()
    found = list(faults(part, parts, folder / f"about_to_{part}"))
    seconds = time.perf_counter() - start
    (folder / f"found_{part}.json").write_text(json.dumps({"found": found, "seconds": seconds}))


if __name__ == "__main__":
    main()
