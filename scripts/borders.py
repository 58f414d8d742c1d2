"""Check that packages import each other from the top level only.

`from treadle_ir.core.program import Program` is for files of treadle_ir; others write `from treadle_ir import Program`.
A subpackage is a top level of its own (`treadle_ir.tracing`, `treadle_ir.tree`), the families of
`treadle_ir.primitives` and `treadle_ir.testing` are open, and so are the questions that `treadle_ir.core.dtypes`
answers. Of treadle_numpy's folders those are public that `scripts/names.py` writes names for: `treadle_numpy.lax`, not
`treadle_numpy.operands`. The façade may look anywhere, since it only arranges names; its own modules are public, as
JAX's are.

JAX is named in the façade and in treadle_jax only: the packages below are about arrays, programs and devices, not about
whose names users know. `NAMED` are words that have to be there, and `NAMING` files, each with its reason.
"""

import ast
import re
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

# What may name JAX below the façade, as one pattern: names of jaxlib, of XLA, of packages that have to be found or
# installed, and of functions and members that users call.
NAMED = re.compile(
    r"jaxlib imports? jax|[jJ]axlib(?:\._jax)?|_jax_mlir_ext|JaxRuntimeError"  # the library itself
    r"|jax\.buffer_donor"  # the attribute by which XLA's importer knows donated arguments
    r"|jax_plugins|jax-cuda(?:\d+|\{[a-z.]+\})-p(?:lugin|jrt)"  # plugins of jaxlib on PyPI
    r"|jax_cuda\{digits\}_plugin|\"jax-\{|-pjrt"  # the same, as packages and by parts
    r"|no_jax_import"  # jaxlib imports jax in places, which must not happen
    r"|lojax\b|(?:make_)?jaxprs?\b|_jaxpr"  # what programs are called where users see them
    r"|JAX_EARLY|JAX_LATE|jax_early|jax_late"  # members of `Inline`
)
NAMING = {
    "treadle_ir/testing/golden_random.py": "says where its numbers come from",
    "treadle_runtime/client/guard.py": "keeps jaxlib from importing jax",
    "treadle_numpy/lax/attributes.py": "views of programs under the names of JAX's primitives",
    "treadle_numpy/lax/bindings.py": "the same",
    "treadle_numpy/lax/custom_calls.py": "the same",
    "treadle_numpy/lax/linalg/primitives.py": "the same",
    "treadle_numpy/lax/other_primitives.py": "the same",
    "treadle_numpy/lax/primitives.py": "the same",
    "treadle_numpy/lax/views.py": "the same",
    "treadle_numpy/namespaces.py": "the error for a missing name says which library has it",
    "treadle_numpy/random/": "docstrings say how far the numbers of a key agree with JAX's, so that results reproduce",
}


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


def names_of_jax() -> Iterator[str]:
    """Yield the places below the façade that name JAX, and the exceptions that are not needed."""
    needed = set()
    for home, folder in SOURCES.items():
        if home in ("treadle", "treadle_jax"):
            continue
        for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.pyi")]):
            inside = path.relative_to(folder.parent).as_posix()
            allowed = next((each for each in NAMING if inside.startswith(each)), None)
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if "jax" not in NAMED.sub("", line).lower():
                    continue
                if allowed is None:
                    yield f"{path.relative_to(ROOT)}:{number}: names JAX: {line.strip()}"
                else:
                    needed.add(allowed)
    yield from (f"scripts/borders.py: {each} does not name JAX" for each in NAMING.keys() - needed)


def main() -> int:
    """Print each import that crosses a border below the top level, and each place below the façade that names JAX."""
    problems = [
        f"{path.relative_to(ROOT)}:{line}: {module}: import from the package's top level"
        for home, folder in SOURCES.items()
        if home != "treadle"
        for path in sorted(folder.rglob("*.py"))
        for line, module in imported(ast.parse(path.read_text()))
        if module.partition(".")[0] != home and is_inner(module)
    ]
    problems += names_of_jax()
    print("\n".join(problems) or "borders: kept")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
