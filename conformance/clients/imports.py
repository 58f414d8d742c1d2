"""Import a library module by module, and print those that could not be, each with its error, as one line of JSON.

python -m treadle_jax imports.py optax     on treadle
python imports.py optax                    on JAX
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import sys
import warnings

# Parts of a module's name that exclude it from the library's interface: tests want the tools that they are
# run with, and a module that is run as a program does something when it is imported.
NOT_IMPORTED = ("test", "testing", "examples", "__main__", "conftest")


def wanted(name: str) -> bool:
    """Return whether users import the module `name`."""
    parts = name.split(".")
    return (
        not any(
            part in NOT_IMPORTED or part.startswith("test_") or part.endswith(("_test", "_tests"))
            for part in parts
        )
        and "tests" not in parts
    )


def attempt(name: str) -> str | None:
    """Import a module; the last line of its error, or None."""
    try:
        importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also those that leave the process
        return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    return None


def imported(library: str) -> dict[str, str | None]:
    """Every module of a library, with the error of its import."""
    outcomes = {library: attempt(library)}
    waiting = [library]
    while waiting:
        package = sys.modules.get(waiting.pop())
        paths = getattr(package, "__path__", None)
        if package is None or paths is None:
            continue
        for found in pkgutil.iter_modules(paths, package.__name__ + "."):
            if wanted(found.name) and found.name not in outcomes:
                outcomes[found.name] = attempt(found.name)
                waiting.append(found.name)
    return outcomes


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    printed = sys.stdout
    with open(os.devnull, "w") as sys.stdout:  # modules may print as they are imported
        outcomes = imported(sys.argv[1])
    print(json.dumps(dict(sorted(outcomes.items()))), file=printed, flush=True)
    os._exit(0)  # threads that a library has started are of no interest
