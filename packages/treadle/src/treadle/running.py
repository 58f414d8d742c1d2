"""Running a user's program in this process, as `python program.py` does."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from types import CodeType, ModuleType


def code_of(file: str) -> CodeType:
    """Return the code of a file.

    Args:
        file: its path.

    Raises:
        OSError: the file cannot be read.
        SyntaxError: it is not a program.
    """
    path = os.path.abspath(file)
    with open(path, "rb") as opened:
        return compiled(opened.read(), path)


def run_file(code: CodeType, file: str, arguments: Sequence[str]) -> None:
    """Run the code of a file as the main module. What it raises comes out, `SystemExit` included.

    Args:
        code: the code.
        file: the path of its file.
        arguments: the program's own arguments.
    """
    sys.path[0] = os.path.dirname(os.path.abspath(file))
    sys.argv = [file, *arguments]
    run_code(code, code.co_filename)


def compiled(source: str | bytes, name: str) -> CodeType:
    """Return code as Python compiles it: `compile` alone would apply the `from __future__` of this file.

    Args:
        source: the source.
        name: the name of its file.
    """
    return compile(source, name, "exec", dont_inherit=True)


def run_code(code: CodeType, file: str | None) -> None:
    """Run code as the main module, which stays: classes that it pickles and threads that it starts need it.

    Args:
        code: the code.
        file: the path of its file; None if it has none.
    """
    main = ModuleType("__main__")
    main.__dict__.update(__builtins__=__builtins__, __spec__=None)
    if file is not None:
        main.__file__ = file
    sys.modules["__main__"] = main
    exec(code, main.__dict__)
