"""Public namespaces: which names a package offers, where they are defined, and what to say of others.

A name is written once, in `__all__` of the module that defines it. `scripts/names.py` gathers the tables that
`lazy` and `mirror` are called with. Modules are imported when one of their names is first asked for, so that
`import treadle.numpy` loads what the operators of arrays need and no more.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

import ml_dtypes

from treadle_ir.errors import NamespaceHooks, import_module, lazy_names, unknown_name

ABSENT: Final = frozenset({"int1", "uint1"} if not hasattr(ml_dtypes, "int1") else ())
"""Names that this release of ml_dtypes has no element type for: before 0.6 there are no integers of one bit."""


def lazy(module: str, table: Mapping[str, str], submodules: Collection[str] = ()) -> NamespaceHooks:
    """Return a namespace whose names are defined in modules below it: `table` gives the names by module."""
    homes = {f"{module}.{home}": names for home, names in table.items()}
    if ABSENT:
        for home, names in homes.items():
            homes[home] = " ".join([name for name in names.split() if name not in ABSENT])
    return lazy_names(module, homes, submodules, unknown)


def mirror(
    module: str, original: str, submodules: Collection[str] = (), own: Collection[str] = ()
) -> NamespaceHooks:
    """A namespace with the names of another one; modules and names that it has itself are `submodules` and `own`."""
    names = [name for name in import_module(original).__all__ if name not in submodules]
    attribute, _, _ = lazy_names(module, {original: " ".join(names)}, submodules, unknown)
    offered = sorted({*names, *submodules, *own})
    return attribute, lambda: list(offered), offered


def unknown(module: str, name: str, offered: Collection[str]) -> AttributeError:
    """Return the error for a name that a namespace does not offer: another spelling, or that treadle lacks it."""
    if name in ABSENT:
        return AttributeError(
            f"{name} needs ml_dtypes 0.6, and {ml_dtypes.__version__} is installed: pip install 'ml_dtypes>=0.6'",
            name=name,
        )
    library = None if name.startswith("_") else _library_with(module, name)
    if library is None:
        return unknown_name(module, name, offered)
    message = f"module {module!r} has no attribute {name!r}, which {library} has and treadle lacks"
    if library == "numpy":
        message += "; inside of jit, treadle.pure_callback can call numpy's"
    return AttributeError(message, name=name)


def _library_with(module: str, name: str) -> str | None:
    """Return the library that offers a name which treadle lacks."""
    import numpy  # noqa: PLC0415 - for errors only

    from treadle_numpy.missing import MISSING  # noqa: PLC0415 - for errors only

    _, _, namespace = module.partition(".")
    namespace = namespace or "numpy"  # `treadle_numpy` itself offers the names of NumPy
    if namespace == "numpy" and hasattr(numpy, name):
        return "numpy"
    return "jax" if name in MISSING.get(namespace, "").split() else None
