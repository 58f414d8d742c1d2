"""Check that packages import each other from the top level only.

`from treadle_ir.core.program import Program` is for files of treadle_ir; others write `from treadle_ir import Program`.
A subpackage is a top level of its own (`treadle_ir.tracing`, `treadle_ir.tree`), the families of
`treadle_ir.primitives` and `treadle_ir.testing` are open, and so are the questions that `treadle_ir.core.dtypes`
answers. Of treadle_numpy's folders those are public that `scripts/names.py` writes names for: `treadle_numpy.lax`, not
`treadle_numpy.operands`. The façade may look anywhere, since it only arranges names; its own modules are public, as
JAX's are.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import names

ROOT = Path(__file__).resolve().parent.parent
SOURCES = {
    path.parent.name: path.parent for path in ROOT.glob("packages/*/src/treadle*/__init__.py")
}
PUBLIC = frozenset(names.public_packages())
OPEN = ("treadle_ir.core.dtypes", "treadle_ir.primitives.", "treadle_ir.testing.")


def imported(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and full name of each module or name that a file imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.lineno, node.module


def is_inner(module: str) -> bool:
    """Return whether this names a plain file inside a distribution, or a folder that is not public."""
    package, *rest = module.split(".")
    if package not in SOURCES or package == "treadle" or not rest or module.startswith(OPEN):
        return False
    if package == names.LIBRARY.name:
        return module not in PUBLIC
    return SOURCES[package].joinpath(*rest).with_suffix(".py").exists()


def main() -> int:
    """Print each import that crosses a border below the top level."""
    problems = [
        f"{path.relative_to(ROOT)}:{line}: {module}: import from the package's top level"
        for home, folder in SOURCES.items()
        if home != "treadle"
        for path in sorted(folder.rglob("*.py"))
        for line, module in imported(ast.parse(path.read_text()))
        if module.partition(".")[0] != home and is_inner(module)
    ]
    print("\n".join(problems) or "borders: kept")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
