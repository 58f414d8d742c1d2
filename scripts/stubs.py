"""Write what type checkers see of names that are made when a program runs.

Those are `jax-stubs`, what is behind `import jax` where the hook answers it, and the elementwise operations
(`operation_stubs.py`). A stub in `jax-stubs` has the names of treadle's module, and of the hook's own module of that
name, by one import of each: so checkers see treadle's types, and a module's names are defined in one place. There is a
stub for each module that both JAX and treadle have, or the hook.

`scripts/stubs.py` writes; `scripts/stubs.py --check` compares.
"""

from __future__ import annotations

import sys
from pathlib import Path

from expected import expected
from operation_stubs import STUB, stub

ROOT = Path(__file__).resolve().parent.parent
FACADE = ROOT / "packages/treadle/src/treadle"
OWN = ROOT / "packages/jax-compat/src/treadle_jax/modules"
STUBS = ROOT / "packages/jax-compat/src/jax-stubs"
EARLIER = {
    "experimental.shard_map"
}  # modules of earlier releases of JAX, which libraries still import
# A star leaves names with underscores out.
VERSIONS = "from treadle_jax.modules import __version__ as __version__, __version_info__ as __version_info__\n"
SPECIAL = {"": VERSIONS, "version": VERSIONS}


def modules_of(folder: Path) -> dict[str, bool]:
    """Return the modules below a folder, as `numpy.linalg`, and whether each is a package; the folder itself is ``."""
    found = {}
    for file in sorted(folder.rglob("*.py")):
        parts = file.relative_to(folder).with_suffix("").parts
        package = parts[-1] == "__init__"
        found[".".join(parts[:-1] if package else parts)] = package
    return found


def known() -> set[str]:
    """Return the modules that JAX has, those above them included."""
    sections = {name for name in expected() if " " not in name and name != "treadle"}
    return {
        ".".join(name.split(".")[:count])
        for name in sections
        for count in range(len(name.split(".")) + 1)
    }


def stubs() -> dict[Path, str]:
    """Return the stubs by file."""
    treadle, own = modules_of(FACADE), modules_of(OWN)
    offered = {name for name in treadle if name in known()}
    offered |= {name for name in own if not name.startswith("_src")} | EARLIER
    files = {STUBS / "py.typed": "partial\n"}
    for name in sorted(offered):
        dotted = f".{name}" if name else ""
        lines = [
            f"from {home}{dotted} import *\n"
            for home, there in (("treadle", treadle), ("treadle_jax.modules", own))
            if name in there
        ]
        below = {other for other in offered - treadle.keys() if other.rpartition(".")[0] == name}
        lines += [
            f"from . import {short} as {short}\n"
            for short in sorted(other.rpartition(".")[2] for other in below - {""})
        ]
        package = any(other.startswith(f"{name}." if name else "") for other in offered - {name})
        path = STUBS.joinpath(*name.split(".")) if name else STUBS
        file = path / "__init__.pyi" if package else path.with_suffix(".pyi")
        files[file] = "".join(lines) + SPECIAL.get(name, "")
    return files


def main(arguments: list[str]) -> int:
    """Write, or compare."""
    wanted = {**stubs(), STUB: stub()}
    there = {path for path in [*STUBS.rglob("*"), STUB] if path.is_file()}
    if arguments == ["--check"]:
        wrong = [
            path for path, text in wanted.items() if path not in there or path.read_text() != text
        ]
        wrong += sorted(there - wanted.keys())
        for path in wrong:
            print(f"{path.relative_to(ROOT)} is out of date: run scripts/stubs.py")
        return 1 if wrong else 0
    for path in there - wanted.keys():
        path.unlink()
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    print(f"stubs: {len(wanted) - 2} modules of JAX, and the elementwise operations")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
