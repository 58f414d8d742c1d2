"""`treadle run`: a user's program under chosen checks; `treadle check-jax`: what a program of JAX's lacks here."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Mapping, Sequence
from types import CodeType, TracebackType
from typing import Final

from treadle import running
from treadle.commands import USAGE
from treadle.settings import config

CHECKS: Final[Mapping[str, tuple[str, str]]] = {
    "nans": ("debug_nans", "an operation that returns a NaN is an error"),
    "keys": ("debug_key_reuse", "a random key that is used twice is an error"),
    "leaks": ("check_tracer_leaks", "a traced array that outlives its function is an error"),
    "no-jit": ("disable_jit", "functions, loops and branches run as plain Python"),
    "x64": ("enable_x64", "default types are 64 bits wide"),
    "log-compiles": ("log_compiles", "log each trace, lowering and compilation"),
}
"""The checks of `run`: each by its option, with its setting and its description."""


def run(program: str, arguments: Sequence[str], checks: Sequence[str], *, strict: bool) -> int:
    """Run a program under checks, as `python program.py` does; `SystemExit` comes out.

    Args:
        program: the program's file.
        arguments: the program's own arguments.
        checks: names of `CHECKS`.
        strict: whether `config.strict()` is called first.

    Returns:
        The exit code: 1 if an exception left the program, 2 if its file cannot be read.
    """
    code = code_to_run("run", program)
    if isinstance(code, int):
        return code
    if strict:
        config.strict()
    for name in checks:
        config.update(f"treadle_{CHECKS[name][0]}", True)
    try:
        running.run_file(code, program, arguments)
    except Exception as error:
        show_uncaught(error, code)
        return 1
    return 0


def code_to_run(command: str, program: str) -> CodeType | int:
    """Return the code of a program's file, or the exit code if there is none, which has been explained.

    Args:
        command: the command, for messages.
        program: the program's file.
    """
    try:
        return running.code_of(program)
    except OSError as error:
        print(f"treadle {command}: cannot read {program}: {error.strerror}", file=sys.stderr)
        return USAGE
    except SyntaxError as error:
        _show(error, None)
        return 1


def show_uncaught(error: Exception, code: CodeType) -> None:
    """Show an exception that left a program as Python does, without the frames below the program's first.

    Args:
        error: the exception.
        code: the code of the program.
    """
    _show(error, _from_code(code, error.__traceback__))


def check_jax(paths: Sequence[str]) -> int:
    """Report the names of JAX's that programs take and treadle lacks, without running the programs.

    It takes a process of its own, in which treadle_jax stands in for JAX.

    Args:
        paths: files and folders.

    Returns:
        The exit code of `python -m treadle_jax --check`; 2 if treadle-jax is not installed.
    """
    if importlib.util.find_spec("treadle_jax") is None:
        print("treadle check-jax needs treadle-jax", file=sys.stderr)
        print(
            "  fix: python -m pip install packages/jax-compat (in a checkout of treadle)",
            file=sys.stderr,
        )
        return USAGE
    command = [sys.executable, "-m", "treadle_jax", "--check", *paths]
    return subprocess.run(command, check=False).returncode


def _show(error: Exception, traceback: TracebackType | None) -> None:
    sys.excepthook(type(error), error.with_traceback(traceback), traceback)


def _from_code(code: CodeType, traceback: TracebackType | None) -> TracebackType | None:
    """Return the part of a traceback that begins in some code."""
    part = traceback
    while part is not None and part.tb_frame.f_code is not code:
        part = part.tb_next
    return part or traceback
