"""Public namespaces: which names a package offers, where they are defined, and what to say of others.

A name is written once, in `__all__` of the module that defines it. `scripts/names.py` gathers the tables that
`lazy` and `mirror` are called with. Modules are imported when one of their names is first asked for, so that
`import treadle.numpy` loads what the operators of arrays need and no more.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Collection, Mapping
from types import ModuleType
from typing import TypeAlias

from treadle_ir import importing

Hooks: TypeAlias = tuple[Callable[[str], object], Callable[[], list[str]], list[str]]
"""`__getattr__`, `__dir__` and `__all__` of a module."""


def lazy(module: str, table: Mapping[str, str], submodules: Collection[str] = ()) -> Hooks:
    """A namespace whose names are defined in modules below it: `table` gives the names by module."""
    homes = {name: f"{module}.{home}" for home, names in table.items() for name in names.split()}
    offered = sorted({*homes, *submodules})
    known = sys.modules[module].__dict__

    def attribute(name: str) -> object:
        if name in homes:
            value: object = getattr(import_module(homes[name]), name)
            known[name] = value  # found there the next time
            return value
        if name in submodules:
            return import_module(f"{module}.{name}")
        raise unknown(module, name, offered)

    return attribute, lambda: list(offered), offered


def mirror(
    module: str, original: str, submodules: Collection[str] = (), own: Collection[str] = ()
) -> Hooks:
    """A namespace with the names of another one; modules and names that it has itself are `submodules` and `own`."""
    source = import_module(original)
    offered = sorted({*source.__all__, *submodules, *own})
    names = frozenset(source.__all__)
    known = sys.modules[module].__dict__

    def attribute(name: str) -> object:
        if name in submodules:
            return import_module(f"{module}.{name}")
        if name in names:
            value: object = getattr(source, name)
            known[name] = value
            return value
        raise unknown(module, name, offered)

    return attribute, lambda: list(offered), offered


def import_module(name: str) -> ModuleType:
    """A module that is imported when it is first asked for; a fork of another thread waits until it is whole."""
    found = sys.modules.get(name)
    if found is not None and not getattr(getattr(found, "__spec__", None), "_initializing", False):
        return found
    with importing():
        return importlib.import_module(name)


def unknown(module: str, name: str, offered: Collection[str]) -> AttributeError:
    """The error for a name that a namespace does not offer: another spelling, or that treadle lacks it."""
    message = f"module {module!r} has no attribute {name!r}"
    if name.startswith("_"):
        return AttributeError(message)
    library = _library_with(module, name)
    if library == "numpy":
        message += ", which numpy has and treadle lacks; inside of jit, treadle.pure_callback can call numpy's"
    elif library is not None:
        message += f", which {library} has and treadle lacks"
    else:
        from difflib import get_close_matches  # noqa: PLC0415 - for errors only

        likely = get_close_matches(name, offered, n=1)
        if likely:
            message += f"; did you mean {likely[0]!r}?"
    return AttributeError(message)


def _library_with(module: str, name: str) -> str | None:
    """The library that offers a name which treadle lacks."""
    import numpy  # noqa: PLC0415 - for errors only

    from treadle_numpy.missing import MISSING  # noqa: PLC0415 - for errors only

    _, _, namespace = module.partition(".")
    namespace = namespace or "numpy"  # `treadle_numpy` itself offers the names of NumPy
    if namespace == "numpy" and hasattr(numpy, name):
        return "numpy"
    return "jax" if name in MISSING.get(namespace, "").split() else None
