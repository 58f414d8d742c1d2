"""A view: a module under JAX's name, with the objects of treadle's module of that name."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from types import ModuleType
from typing import Any, Final, final

from treadle_ir.errors import did_you_mean
from treadle_jax.paths import path_of
from treadle_jax.private import is_module
from treadle_jax.wanted import missing, stand_in

_names_of: Final = vars(ModuleType)["__dict__"].__get__
"""The names that a view has by now: its `__dict__` as all modules have it."""


@final
class View(ModuleType):
    """A module `jax.x` with the objects of `treadle.x`; of several modules, the first with a name provides it.

    A name is looked up on first access, which keeps `import jax` fast. `vars(view)`, which libraries use to wrap all
    functions of a module, has all names.
    """

    def __init__(self, name: str, behind: Sequence[ModuleType]) -> None:
        super().__init__(name, behind[-1].__doc__ if behind else None)
        self._behind = tuple(behind)
        # The finder answers for every module below. A path makes the view a package, so that `from jax import x` asks
        # the finder for what is missing, which can say more than "cannot import name".
        self.__path__ = path_of(name, self._behind)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]  # Any: whatever the module has
        """All the names, each with its value; what was set before stays."""
        names: dict[str, Any] = _names_of(self)
        for name in self._public():
            if name not in names:
                try:
                    getattr(self, name)  # which puts it there
                except (AttributeError, ImportError):
                    continue  # a module that needs what is not installed
        return names

    def __reduce__(self) -> tuple[object, ...]:
        """By its name: cloudpickle and `copy.deepcopy` know modules by their class, which is another one here."""
        return importlib.import_module, (self.__name__,)

    def __getattr__(self, name: str) -> object:
        """Return a name that was not asked for before; found in the module itself the next time."""
        if name == "__all__":  # `from jax.x import *` looks no further than this, or `__dict__`
            return self._public()
        if is_module(f"{self.__name__}.{name}"):
            return importlib.import_module(f"{self.__name__}.{name}")
        for module in _names_of(self).get("_behind", ()):
            try:
                value = getattr(module, name)
            except AttributeError:
                continue
            if isinstance(value, ModuleType) and value.__name__.startswith("treadle"):
                if not self._has_below(name):  # a module that the one behind imports for itself
                    continue
                value = importlib.import_module(f"{self.__name__}.{name}")
            if not (name.startswith("__") and name.endswith("__")):
                _names_of(self)[name] = value
            return value
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name)
        missing_class = stand_in(f"{self.__name__}.{name}")
        if missing_class is not None:
            _names_of(self)[name] = missing_class
            return missing_class
        # `import jax` imports nearly all modules below it; here they are imported when they are asked for.
        try:
            return importlib.import_module(f"{self.__name__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"treadle{self.__name__[3:]}.{name}":
                raise
        nearest = did_you_mean(name, self._public())
        raise AttributeError(missing(f"{self.__name__}.{name}") + nearest, name=name)

    def _public(self) -> list[str]:
        """Return the public names of the modules behind: their `__all__`, or all that have no underscore in front."""
        names: set[str] = set()
        for module in self._behind:
            public = getattr(module, "__all__", None)
            names.update(self._offered(module) if public is None else public)
        return sorted(names)

    def _offered(self, module: ModuleType) -> set[str]:
        """The names of one module behind that have no underscore in front, without what it imports for itself."""
        return {
            name
            for name in dir(module)
            if name[:1] != "_"
            and vars(module).get(name) is not annotations
            and (not isinstance(vars(module).get(name), ModuleType) or self._has_below(name))
        }

    def _has_below(self, name: str) -> bool:
        try:
            return importlib.util.find_spec(f"{self.__name__}.{name}") is not None
        except ModuleNotFoundError:
            return False

    def __setattr__(self, name: str, value: object) -> None:
        """Set it, unless it is a view below, which Python sets when it is imported, and a function has its name."""
        if isinstance(value, View) and not is_module(f"{self.__name__}.{name}"):
            for module in _names_of(self).get("_behind", ()):
                found = getattr(module, name, value)
                if not isinstance(found, ModuleType):
                    return
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        own = {name for name in _names_of(self) if name[:1] != "_" or name.endswith("__")}
        return sorted(own.union(self._public()))

    def __repr__(self) -> str:
        of = ", ".join(repr(module.__name__) for module in self._behind) or "nothing"
        return f"<module {self.__name__!r}: a view of {of}>"
