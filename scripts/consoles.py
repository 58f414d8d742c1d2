"""Run the commands of Markdown pages, so that they cannot rot.

A block that begins with three backquotes, a language and a file name is a file. A block of the language `console` has
commands after `$`, each followed by its output, standard error included; `...` stands for any text, and a line
`[exit code 1]` for an exit code that is not 0. All run in one temporary folder, with a cache of their own.
"""

import doctest
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

FILE = re.compile(r"^```[a-z]+ ([\w.-]+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def check(page: Path) -> Iterator[str]:
    """Yield what is wrong with the commands of a page.

    Args:
        page: the page.
    """
    text = page.read_text()
    if CONSOLE.search(text) is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        for name, content in FILE.findall(text):
            (Path(folder) / name).write_text(content)
        for block in CONSOLE.finditer(text):
            for found in COMMAND.finditer(block[1]):
                line = text.count("\n", 0, block.start(1) + found.start()) + 1
                printed = output(found[1], Path(folder))
                if not doctest.OutputChecker().check_output(found[2], printed, doctest.ELLIPSIS):
                    yield f"{page}:{line}: `{found[1]}` prints\n{printed}"


def output(command: str, folder: Path) -> str:
    """Return what a command prints, and its exit code unless that is 0.

    Args:
        command: the command, for a shell.
        folder: the folder in which it runs.
    """
    known = {name: value for name, value in os.environ.items() if not name.startswith("TREADLE_")}
    path = os.pathsep.join([str(Path(sys.executable).parent), known.get("PATH", "")])
    own = {
        "PATH": path,
        "TREADLE_CACHE_DIR": str(folder / "cache"),
        "NO_COLOR": "1",
        "COLUMNS": "100",
    }
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env={**known, **own},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    code = f"[exit code {done.returncode}]\n" if done.returncode else ""
    return done.stdout + code
