"""The paths of views: `pkgutil` lists by them what is below `jax`, as it lists a folder.

A path is the folder of the module behind and a name that no file has: programs that go up from `jax.__path__[0]` end in
a folder that exists, and no file of treadle's is taken for a module of JAX's.
"""

from __future__ import annotations

import os
import pkgutil
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final, final

from treadle_jax import wanted
from treadle_jax.private import below

_MARK: Final = "treadle_jax:"


def path_of(name: str, behind: tuple[ModuleType, ...]) -> list[str]:
    """Return the path of the view `name` of the modules behind."""
    file = getattr(behind[-1], "__file__", None) if behind else None
    return [os.path.join(os.path.dirname(file or __file__), _MARK + name)]


@final
class Entry:
    """What Python asks of one path: which modules are below, and how one is imported."""

    def __init__(self, name: str, find_spec: Callable[..., ModuleSpec | None]) -> None:
        self._name = name
        self._find_spec = find_spec

    def find_spec(self, fullname: str, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec of a module below, for code that uses `sys.path_hooks` alone."""
        try:
            return self._find_spec(fullname, None, target)
        except ModuleNotFoundError:  # the finder reported the missing name when it was asked
            return None

    def iter_modules(self, prefix: str = "") -> Iterator[tuple[str, bool]]:
        """Yield the modules below by `prefix` and name, and whether each has modules below it, for `pkgutil`."""
        found: dict[str, bool] = dict.fromkeys(below(self._name, wanted.modules()), True)
        public = self._name.replace("._src", "", 1)
        for module in getattr(sys.modules.get(self._name), "_behind", ()):
            name = module.__name__.removeprefix("treadle_jax.modules").removeprefix("treadle")
            if f"jax{name}" not in (self._name, public):
                continue  # it answers for some names, and not for modules below
            for each in pkgutil.iter_modules(getattr(module, "__path__", ())):
                found[each.name] = found.get(each.name, False) or each.ispkg
        for name in sorted(found):
            yield prefix + name, found[name]


def path_hook(find_spec: Callable[..., ModuleSpec | None]) -> Callable[[str], Entry]:
    """Return the hook for `sys.path_hooks`, which takes the paths of views and no others."""

    def hook(entry: str) -> Entry:
        mark, colon, name = os.path.basename(entry).partition(":")
        if mark + colon != _MARK:
            raise ImportError(f"{entry} is not the path of a view", path=entry)
        return Entry(name, find_spec)

    return hook
