"""Refuse public functions whose docstring has no example, or whose example depends on the processor. Doctests run
them.
"""

from __future__ import annotations

import doctest
import importlib
import inspect
import sys
from types import ModuleType

import digits

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
# Of these, functions alone: many of their classes are made by functions that have an example.
OTHERS = (
    *("ad_checkpoint", "custom_batching", "custom_derivatives", "debug", "distributed", "dlpack"),
    *(
        "dtypes",
        "experimental.checkify",
        "experimental.jet",
        "experimental.ode",
        "experimental.rnn",
        "experimental.sparse",
        "export",
    ),
    *("ffi", "monitoring", "nn.initializers", "profiler", "ref", "scipy.optimize"),
    *("scipy.sparse.linalg", "scipy.spatial.transform", "sharding", "stages", "test_util", "tree"),
    "tree_util",
)


def functions() -> dict[str, object]:
    """Return the public functions and classes of treadle's own, by name; another name for one counts as the first."""
    found: dict[str, object] = {}
    known: set[int] = set()
    everything = ["treadle", *[f"treadle.{each}" for each in (*NAMESPACES, *OTHERS)]]
    for path in (*everything, *(f"treadle.scipy.{each}" for each in SCIPY)):
        module = importlib.import_module(path)
        classes = path.removeprefix("treadle.") not in OTHERS and path != "treadle"
        public = getattr(module, "__all__", None) or [x for x in dir(module) if x[0] != "_"]
        for name in sorted(public):
            each = getattr(module, name)
            own = str(getattr(each, "__module__", "")).startswith("treadle")
            wanted = callable(each) if classes else inspect.isfunction(each)
            if own and wanted and id(each) not in known and not isinstance(each, ModuleType):
                found[f"{path}.{name}"] = each
                known.add(id(each))
    return found


def without_example() -> set[str]:
    """Return the names of those whose docstring shows no call."""
    return {name for name, each in functions().items() if ">>>" not in (inspect.getdoc(each) or "")}


def beyond() -> dict[str, list[str]]:
    """Return the numbers that examples show with more digits than every processor prints alike, by function."""
    shown = {
        name: [
            number
            for example in doctest.DocTestParser().get_examples(inspect.getdoc(each) or "")
            for number in digits.beyond(example.want)
        ]
        for name, each in functions().items()
    }
    return {name: numbers for name, numbers in shown.items() if numbers}


def main() -> int:
    """Name those that lack one, and those that only some processors give."""
    lacking, numbers = without_example(), beyond()
    for name in sorted(lacking):
        print(f"{name}: add an Example to its docstring")
    for name in sorted(numbers):
        print(f"{name}: other processors print other digits of {', '.join(numbers[name])}: round")
    print(f"{len(functions())} functions, {len(lacking)} of them without an example")
    return 1 if lacking or numbers else 0


if __name__ == "__main__":
    sys.exit(main())
