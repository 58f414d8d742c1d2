"""Packages whose names are imported when they are first used, so that importing a package is quick.

For type checkers such a package imports its names under `if TYPE_CHECKING:`; at run time it takes them from a table:

    __getattr__, __dir__, __all__ = lazy_names(__name__, {"treadle_ir.reference.registry": "eval_rules"})

`scripts/names.py` writes the tables.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Collection, Mapping
from types import ModuleType
from typing import TypeAlias

from treadle_ir.errors.kinds import did_you_mean
from treadle_ir.errors.tracebacks import boundary
from treadle_ir.process.late_imports import importing

NamespaceHooks: TypeAlias = tuple[Callable[[str], object], Callable[[], list[str]], list[str]]
"""`__getattr__`, `__dir__` and `__all__` of a module."""
Unknown: TypeAlias = Callable[[str, str, Collection[str]], AttributeError]
"""Makes the error for a name that a module lacks, from the module, the name, and the names that the module offers."""


def unknown_name(module: str, name: str, offered: Collection[str]) -> AttributeError:
    """Return the error for a name that a module does not offer, with a likely spelling.

    `_OTHER_NAMES` of the module maps names of other libraries to treadle's.
    """
    known = vars(sys.modules[module]).get("_OTHER_NAMES", {}).get(name)
    if known is not None:
        return AttributeError(
            f"module {module!r} has no attribute {name!r}; its name here is {known!r}", name=name
        )
    likely = "" if name.startswith("_") else did_you_mean(name, offered)
    # If the error has the name, Python does not add a second suggestion when it prints the error.
    return AttributeError(f"module {module!r} has no attribute {name!r}{likely}", name=name)


def lazy_names(
    module: str,
    table: Mapping[str, str],
    submodules: Collection[str] = (),
    unknown: Unknown = unknown_name,
    own: bool = False,
) -> NamespaceHooks:
    """Return the hooks of a module that re-exports names of others: `table` has them by module, separated by blanks.

    `submodules` are modules below it, which are names, too. `jit:pjit` offers `jit` under the name `pjit`.
    With `own`, names that the module has imported or defined before are offered as well, except modules.
    """
    return _hooks(module, table, submodules, unknown, own, boundary)


def room_names(
    module: str, table: Mapping[str, str], submodules: Collection[str] = (), own: bool = False
) -> NamespaceHooks:
    """Return the hooks of a module whose names are for other distributions, not for users.

    It is `lazy_names`, except that the functions are not boundaries: errors leave treadle further out.
    """
    return _hooks(module, table, submodules, unknown_name, own, _as_it_is)


def _as_it_is(value: object) -> object:
    return value


def _hooks(
    module: str,
    table: Mapping[str, str],
    submodules: Collection[str],
    unknown: Unknown,
    own: bool,
    prepared: Callable[[object], object],
) -> NamespaceHooks:
    """Return the hooks of a module; `prepared` is applied to a value before the module offers it."""
    homes: dict[str, str] = {}
    originals: dict[str, str] = {}  # of names that differ from those in their modules
    for home, names in table.items():
        listed = names.split()
        if ":" in names:
            pairs = [each.partition(":") for each in listed]
            listed = [name or original for original, _, name in pairs]
            originals.update({name: original for original, _, name in pairs if name})
        homes.update(dict.fromkeys(listed, home))
    if any([home.removeprefix(f"{module}.") in homes for home in table]):
        sys.modules[module].__class__ = _NamesBeforeModules
    package = sys.modules[module].__dict__
    offered = sorted({*homes, *submodules, *(_public(package) if own else ())})

    def attribute(name: str) -> object:
        home = homes.get(name)
        if home is not None:
            value: object = getattr(import_module(home), originals.get(name, name))
        elif name in submodules:
            value = import_module(f"{module}.{name}")
        elif sys._getframe(1).f_globals.get("__name__") == "importlib._bootstrap":
            raise AttributeError(name)  # `from module import name` then tries the modules below it
        else:
            raise unknown(module, name, sorted({*offered, *package}))
        package[name] = prepared(value)  # found there the next time
        return value

    return boundary(attribute), lambda: list(offered), offered


class _NamesBeforeModules(ModuleType):
    """A package that offers a name which is also a module's: `grad` of `package.grad`.

    The import of a module would set the package's attribute of that name, and the function would no longer be found.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not isinstance(value, ModuleType) or name not in self.__all__:
            super().__setattr__(name, value)


def _public(package: Mapping[str, object]) -> list[str]:
    return [
        name
        for name, value in package.items()
        if not name.startswith("_")
        and name not in ("annotations", "TYPE_CHECKING")
        and not isinstance(value, ModuleType)
    ]


def import_module(name: str) -> ModuleType:
    """Return a module, imported at the first use; a fork in another thread waits until the import is complete."""
    found = sys.modules.get(name)
    if found is not None and not getattr(getattr(found, "__spec__", None), "_initializing", False):
        return found
    return importing(lambda: importlib.import_module(name))


def module_or_none(*names: str) -> ModuleType | None:
    """Return the first of these modules that exists: of an optional library, or of one whose modules were renamed.

    Example:
        >>> module_or_none("no_such_module", "math").__name__
        'math'
    """
    for name in names:
        try:
            return import_module(name)
        except ImportError:
            continue
    return None
