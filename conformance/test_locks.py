"""Locks are free in a forked child: each that a package makes is one of `treadle_ir.process.fork`."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
KINDS: Final = {"Lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore", "Barrier"}
OWN: Final = {
    # where they are made
    ("fork.py", "Lock"),
    ("fork.py", "RLock"),
    # of one thread, which waits for it for ever
    ("ending.py", "Lock"),
    # of one call, which waits for a thread; forks wait for the end of the import
    ("late_imports.py", "Lock"),
}


def _made(path: Path) -> set[tuple[str, str]]:
    """The kinds of locks of `threading` that a file makes, each with the file's name."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call) or node.args:  # a Condition may be given a lock
            continue
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name in KINDS:
            found.add((path.name, name))
    return found


def test_each_lock_is_made_by_fork_safe_lock() -> None:
    files = [*ROOT.glob("packages/*/src/**/*.py")]
    assert len(files) > 300
    made = set().union(*[_made(path) for path in files])
    assert made - OWN == set()
    assert made >= OWN
