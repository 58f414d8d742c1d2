"""A view: a module under JAX's name, with the objects of treadle's module of that name."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from types import ModuleType
from typing import final

from treadle_jax.wanted import missing, stand_in


@final
class View(ModuleType):
    """A module `jax.x` with the objects of `treadle.x`; of several modules, the first that has a name gives it."""

    def __init__(self, name: str, behind: Sequence[ModuleType]) -> None:
        super().__init__(name, behind[-1].__doc__ if behind else None)
        # Nothing is found on a path: the finder answers for every module below. It makes the view a package, so that
        # `from jax import x` asks the finder for what is missing, which can say more than "cannot import name".
        self.__path__ = []
        self._behind = tuple(behind)

    def __getattr__(self, name: str) -> object:
        """A name that was not asked for before; found in the module itself the next time."""
        for module in self.__dict__.get("_behind", ()):
            try:
                value = getattr(module, name)
            except AttributeError:
                continue
            if isinstance(value, ModuleType):
                value = self._below(name, value)
            if not (name.startswith("__") and name.endswith("__")):
                self.__dict__[name] = value
            return value
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name)
        missing_class = stand_in(f"{self.__name__}.{name}")
        if missing_class is not None:
            self.__dict__[name] = missing_class
            return missing_class
        # `import jax` imports nearly all modules below it; here they are imported when they are asked for.
        try:
            return importlib.import_module(f"{self.__name__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"treadle{self.__name__[3:]}.{name}":
                raise
        raise AttributeError(missing(f"{self.__name__}.{name}"), name=name)

    def _below(self, name: str, value: ModuleType) -> ModuleType:
        """The view of a module of treadle's; other modules are what they are, and so is one by another name."""
        if not value.__name__.startswith("treadle"):
            return value
        try:
            return importlib.import_module(f"{self.__name__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"treadle{self.__name__[3:]}.{name}":
                raise
            return value

    def __dir__(self) -> list[str]:
        names = {name for module in self._behind for name in dir(module) if name[:1] != "_"}
        own = {name for name in self.__dict__ if name[:1] != "_" or name.endswith("__")}
        return sorted(names | own)

    def __repr__(self) -> str:
        of = ", ".join(repr(module.__name__) for module in self._behind) or "nothing"
        return f"<module {self.__name__!r}: a view of {of}>"
