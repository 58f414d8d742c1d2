"""Refuse public functions whose docstring has no example, but for those of a list that may only shrink.

`scripts/docstrings.py` compares with `without_examples.txt`, and names what is new there or no longer needed;
`scripts/docstrings.py --write` takes the names out that have an example now. Doctests run the examples themselves.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from pathlib import Path
from types import ModuleType

LIST = Path(__file__).resolve().parent / "without_examples.txt"
NAMESPACES = ("numpy", "numpy.fft", "numpy.linalg", "lax", "lax.linalg", "ops", "image", "nn")
SCIPY = ("cluster.vq", "fft", "integrate", "interpolate", "ndimage", "signal", "special")


def functions() -> dict[str, object]:
    """The public functions and classes of treadle's own, by name; another name for one counts as the first."""
    found: dict[str, object] = {}
    for namespace in (*NAMESPACES, *(f"scipy.{each}" for each in SCIPY)):
        module = importlib.import_module(f"treadle.{namespace}")
        for name in sorted(module.__all__):
            each = getattr(module, name)
            own = str(getattr(each, "__module__", "")).startswith("treadle")
            known = any(each is other for other in found.values())
            if own and callable(each) and not known and not isinstance(each, ModuleType):
                found[f"{namespace}.{name}"] = each
    return found


def without_example() -> set[str]:
    """The names of those whose docstring shows no call."""
    return {name for name, each in functions().items() if ">>>" not in (inspect.getdoc(each) or "")}


def main(arguments: list[str]) -> int:
    """Name what is not as the list says."""
    allowed = set(LIST.read_text().split())
    lacking = without_example()
    for name in sorted(lacking - allowed):
        print(f"{name}: add an Example to its docstring")
    shrunk = sorted(allowed - lacking)
    if shrunk and "--write" in arguments:
        LIST.write_text("".join(f"{name}\n" for name in sorted(allowed & lacking)))
    elif shrunk:
        print(
            f"these have an example or are gone: take them out of {LIST.name}: {', '.join(shrunk)}"
        )
    print(
        f"{len(functions())} functions, {len(allowed & lacking)} of them still without an example"
    )
    return 1 if lacking - allowed or (shrunk and "--write" not in arguments) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
