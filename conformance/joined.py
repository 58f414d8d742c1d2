"""Tables that are written in several modules: the modules of a package whose names begin alike.

A part of the library has its calls, questions and reasons in modules of its own, `calls_<part>.py`,
`questions_<part>.py`, `without_<part>.py`; the laws read all that there are.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType


def modules(package: str, prefix: str) -> list[ModuleType]:
    """The modules of a package whose names begin with a prefix, in the order of their names.

    Example:
        >>> [each.__name__ for each in modules("conformance", "joine")]
        ['conformance.joined']
    """
    path = importlib.import_module(package).__path__
    names = sorted(each.name for each in pkgutil.iter_modules(path) if each.name.startswith(prefix))
    return [importlib.import_module(f"{package}.{name}") for name in names]
