"""Refuse public functions whose docstring has no example. Doctests run the examples themselves."""

from __future__ import annotations

import importlib
import inspect
import sys
from types import ModuleType

NAMESPACES = (
    "numpy",
    "numpy.fft",
    "numpy.linalg",
    "lax",
    "lax.linalg",
    "ops",
    "image",
    "nn",
    "random",
)
SCIPY = (
    *("cluster.vq", "fft", "integrate", "interpolate", "linalg", "ndimage", "signal", "special"),
    "stats",
)


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


def main() -> int:
    """Name those that lack one."""
    lacking = without_example()
    for name in sorted(lacking):
        print(f"{name}: add an Example to its docstring")
    print(f"{len(functions())} functions, {len(lacking)} of them without an example")
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
