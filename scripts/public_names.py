"""Compare the public names of each package with `packages/<p>/public_names.txt`.

`scripts/public_names.py --write` writes them down: a change of the public surface is a diff that a
reviewer sees. Modules are left out, since their paths show them.
"""

import importlib
import inspect
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HELPERS = ("TYPE_CHECKING", "annotations")  # names of the language


def public_names(package: str) -> list[str]:
    """Return the names a package offers at its top level, sorted."""
    module = importlib.import_module(package)
    names = [name for name in dir(module) if not name.startswith("_") and name not in HELPERS]
    return sorted(name for name in names if not inspect.ismodule(getattr(module, name)))


def main(arguments: list[str]) -> int:
    """Write the files, or print what they lack and what they have too much."""
    problems = []
    for initial in sorted(ROOT.glob("packages/*/src/treadle*/__init__.py")):
        source = initial.parent
        path = source.parent.parent / "public_names.txt"
        names = public_names(source.name)
        if arguments == ["--write"]:
            path.write_text("\n".join(names) + "\n")
            continue
        written = path.read_text().split() if path.exists() else []
        problems += [f"{source.name}: new name {name}" for name in sorted({*names} - {*written})]
        problems += [f"{source.name}: no more {name}" for name in sorted({*written} - {*names})]
    if problems:
        print(*problems, "if this is meant: scripts/public_names.py --write", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
