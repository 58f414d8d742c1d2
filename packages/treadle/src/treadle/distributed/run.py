"""`python -m treadle.distributed.run -n 4 script.py`: one program in several processes on this machine.

Every process finds in its environment what `treadle.distributed.initialize()` needs. Their output comes with the number
of the process before each line. When one fails, the others are ended, and the exit code is the exit code of the
first.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import IO, Final, final

from treadle_ir.errors import boundaries

_TICK: Final = 0.05
_PARENT_DIED: Final = 1  # prctl's PR_SET_PDEATHSIG

__all__ = ["main"]


@final
class Processes:
    """The running processes, and what they write."""

    def __init__(self, commands: Sequence[tuple[list[str], dict[str, str]]]) -> None:
        self.signalled: int | None = None
        self._selector = selectors.DefaultSelector()
        self._rests: dict[int, bytes] = {}
        self.running: list[subprocess.Popen[bytes]] = []
        try:
            for number, (command, environment) in enumerate(commands):
                process = subprocess.Popen(
                    command,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,  # so that Ctrl-C comes once, from here
                    preexec_fn=_end_with_parent(),
                )
                self.running.append(process)
                for pipe, target in ((process.stdout, sys.stdout), (process.stderr, sys.stderr)):
                    assert pipe is not None
                    self._selector.register(pipe, selectors.EVENT_READ, (number, target))
        except BaseException:
            self.kill()
            raise

    def pump(self, seconds: float) -> None:
        """Pass on what the processes write, for so many seconds at most."""
        if not self._selector.get_map():
            time.sleep(seconds)
            return
        for key, _ in self._selector.select(seconds):
            number, target = key.data
            data = os.read(key.fd, 1 << 16)
            *lines, rest = (self._rests.pop(key.fd, b"") + data).split(b"\n")
            if data:
                self._rests[key.fd] = rest
            else:
                self._selector.unregister(key.fileobj)
                lines += [rest] if rest else []
            _write(target, number, lines)

    def codes(self) -> list[int | None]:
        """Return the exit code of each; None while it runs, negative for a signal."""
        return [process.poll() for process in self.running]

    def send(self, number: int) -> None:
        """Send a signal to every process that still runs, and to what it started."""
        for process in self.running:
            if process.poll() is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, number)

    def wait(self, seconds: float) -> bool:
        """Wait for all to end, though not longer than so many seconds."""
        end = time.monotonic() + seconds
        while None in self.codes() and time.monotonic() < end:
            self.pump(_TICK)
        return None not in self.codes()

    def kill(self) -> None:
        """End all that still run, and whatever they started."""
        self.send(signal.SIGKILL)
        for process in self.running:
            process.wait()
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)

    def drain(self) -> None:
        """Pass on what is left in the pipes, and close them."""
        end = time.monotonic() + 1
        while self._selector.get_map() and time.monotonic() < end:
            self.pump(_TICK)
        self._selector.close()
        for process in self.running:
            for pipe in (process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a script in several processes; the exit code of the first that failed, or 0.

    Example:
        >>> from treadle.distributed.run import main
        >>> main(["-n", "2", "-c", "import sys; sys.exit(0)"])
        0
    """
    options = _options(arguments)
    port = options.port or _free_port()
    commands = [
        (_command(options), _environment(options, port, number)) for number in range(options.n)
    ]
    processes = Processes(commands)

    def forward(number: int, frame: FrameType | None) -> None:
        processes.signalled = number
        processes.send(number)

    before = {each: signal.signal(each, forward) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        return _watch(processes, options.grace)
    finally:
        processes.kill()
        processes.drain()
        for each, handler in before.items():
            signal.signal(each, handler)


def _watch(processes: Processes, grace: float) -> int:
    while True:
        processes.pump(_TICK)
        codes = processes.codes()
        if processes.signalled is not None:
            number = processes.signalled
            processes.wait(grace)
            _say(f"ended by {_signal_name(number)}")
            return 128 + number
        failed = [number for number, code in enumerate(codes) if code]
        if failed:
            # A killed process is the cause when others end with an error at the same moment.
            first = min(failed, key=lambda number: ((codes[number] or 0) > 0, number))
            code = codes[first] or 0
            how = (
                f"was killed by {_signal_name(-code)}"
                if code < 0
                else f"ended with exit code {code}"
            )
            others = codes.count(None)
            _say(
                f"process {first} {how}"
                + (f"; ending the {others} that still run" if others else "")
            )
            if not processes.wait(grace):  # in which they say what they have to say of it
                processes.send(signal.SIGTERM)
                processes.wait(grace)
            return 128 - code if code < 0 else code
        if None not in codes:
            return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m treadle.distributed.run",
        description="Run a script in several processes on this machine. In the script, call "
        "treadle.distributed.initialize() first.",
    )
    parser.add_argument("-n", type=_positive, required=True, metavar="N", help="how many processes")
    parser.add_argument(
        "--devices-per-process",
        type=_positive,
        metavar="D",
        help="how many devices the CPU shows in each",
    )
    parser.add_argument(
        "--port", type=int, default=0, help="where they meet; a free one, unless given"
    )
    parser.add_argument(
        "--grace",
        type=float,
        default=5.0,
        metavar="S",
        help="seconds to end by themselves when one has failed (5)",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("-m", dest="module", action="store_true", help="run a module, not a script")
    what.add_argument("-c", dest="code", action="store_true", help="run a string, not a script")
    parser.add_argument("script", help="what to run")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    return parser.parse_args(arguments)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, got {text!r}")
    return int(text)


def _command(options: argparse.Namespace) -> list[str]:
    kind = ["-m"] if options.module else ["-c"] if options.code else []
    return [sys.executable, *kind, options.script, *options.arguments]


def _environment(options: argparse.Namespace, port: int, number: int) -> dict[str, str]:
    devices = options.devices_per_process
    return {
        **os.environ,
        "PYTHONUNBUFFERED": "1",
        "TREADLE_COORDINATOR_ADDRESS": f"127.0.0.1:{port}",
        "TREADLE_NUM_PROCESSES": str(options.n),
        "TREADLE_PROCESS_ID": str(number),
        **({} if devices is None else {"TREADLE_NUM_CPU_DEVICES": str(devices)}),
    }


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def _end_with_parent() -> Callable[[], None] | None:
    """Return the `preexec_fn` with which a process ends when this one is killed; only Linux has it."""
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.CDLL(None)
    return lambda: library.prctl(_PARENT_DIED, signal.SIGKILL)


def _write(target: IO[str], number: int, lines: list[bytes]) -> None:
    for line in lines:
        target.write(f"[{number}] {line.decode(errors='replace')}\n")
    target.flush()


def _say(text: str) -> None:
    print(f"treadle.distributed.run: {text}", file=sys.stderr, flush=True)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


if __name__ == "__main__":
    sys.exit(main())

boundaries(__name__)
