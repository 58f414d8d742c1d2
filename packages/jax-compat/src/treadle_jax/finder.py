"""The finder: what `import jax` and `importlib.metadata` ask for, answered with treadle."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Iterable, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, DistributionFinder, MetadataPathFinder
from types import FrameType, ModuleType
from typing import Any, final

from treadle_compiler import ir_module
from treadle_jax import wanted
from treadle_jax.metadata import JaxDistribution
from treadle_jax.paths import path_of
from treadle_jax.private import homes, is_package
from treadle_jax.variables import Variables
from treadle_jax.view import View

_OWN = "treadle_jax.modules"
"""Modules of JAX's that treadle has no equivalent of, or that have more names than treadle's."""
_OF_JAXLIB = re.compile(r"jax\.extend\.(mlir\.(?:ir|passmanager|dialects)\b.*)")
"""Modules of JAX's that are jaxlib's under another name."""


def behind(name: str) -> list[ModuleType]:
    """Return the modules that provide one of JAX's: the modules of this distribution first, then treadle's.

    For a private module its own come first, then the modules of its public homes.
    """
    if (of_jaxlib := _OF_JAXLIB.fullmatch(name)) is not None:
        ir_module()  # which registers dialects and passes
        inside = f"jaxlib.{of_jaxlib[1]}"
        return [importlib.import_module(inside)] if _exists(inside) else []
    below = name.removeprefix("jax")
    found = [
        importlib.import_module(home + below) for home in (_OWN, "treadle") if _exists(home + below)
    ]
    return found + [module for home in homes(name) for module in behind(home)]


def _exists(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # its parent is missing, or is not a package
        return False


def _only_asked() -> bool:
    """Return whether `importlib.util.find_spec` asks for a spec, which is to be None where there is no such module.

    An import asks in the same way, and is to fail with a message that says more than Python's.
    """
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        inside, function = frame.f_globals.get("__name__"), frame.f_code.co_name
        if inside == "importlib._bootstrap" and function.startswith("_find_and_load"):
            return False
        if inside == "importlib.util" and function == "find_spec":
            return True
        frame = frame.f_back
    return False


@final
class ViewLoader(Loader):
    """Makes views; there is nothing to run but what the import of `jax` itself does."""

    def __init__(self, modules: Sequence[ModuleType], variables: Variables) -> None:
        self._modules = modules
        self._variables = variables

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the view."""
        return View(spec.name, self._modules)

    def exec_module(self, module: ModuleType) -> None:
        """Read the environment, for `jax`; nothing else: names are looked up when they are asked for."""
        if module.__name__ == "jax":
            self._variables.read_again()

    def get_resource_reader(
        self, name: str
    ) -> Any:  # Any: it has no common class in all versions of Python
        """Return the reader of the files next to the underlying module, for `importlib.resources`."""
        if not self._modules or self._modules[-1].__spec__ is None:
            return None
        behind = self._modules[-1].__spec__
        reader = getattr(behind.loader, "get_resource_reader", None)
        return None if reader is None else reader(behind.name)


@final
class Finder(DistributionFinder):
    """Stands first in `sys.meta_path` while the hook is in."""

    def __init__(self) -> None:
        self._variables = Variables()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of `jax` or of a module below it; None for all others.

        Raises:
            ModuleNotFoundError: treadle has no such module.
        """
        if fullname != "jax" and not fullname.startswith("jax."):
            return None
        modules = behind(fullname)
        if not modules and fullname not in wanted.modules() and not is_package(fullname):
            if _only_asked():
                return None
            # Under a different name from the requested one, since `from jax import x` hides errors of that name.
            raise ModuleNotFoundError(wanted.missing(fullname), name=f"treadle{fullname[3:]}")
        spec = ModuleSpec(
            fullname,
            ViewLoader(modules, self._variables),
            origin=getattr(modules[-1], "__file__", None) if modules else None,
            is_package=True,
        )
        spec.submodule_search_locations = path_of(fullname, tuple(modules))
        return spec

    def find_distributions(
        self, context: DistributionFinder.Context | None = None
    ) -> Iterable[Distribution]:
        """Yield the distribution `jax`, for libraries that ask for its version, where it is not installed."""
        wanted = None if context is None else context.name
        if wanted is not None and wanted.lower() != "jax":
            return
        # Not by `PathFinder.find_distributions`, which the backport importlib_metadata takes away.
        installed = MetadataPathFinder.find_distributions(DistributionFinder.Context(name="jax"))
        if next(iter(installed), None) is None:
            yield JaxDistribution()
