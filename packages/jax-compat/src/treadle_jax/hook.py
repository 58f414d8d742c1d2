"""Putting the import hook in, and taking it out again."""

from __future__ import annotations

import sys
from typing import Final

from treadle import errors
from treadle_jax import origins, spawned
from treadle_jax.finder import Finder
from treadle_jax.paths import path_hook
from treadle_jax.view import View

_FINDER: Final = Finder()
_PATH_HOOK: Final = path_hook(_FINDER.find_spec)


def installed() -> bool:
    """Return whether `import jax` gives treadle in this process.

    Example:
        >>> import treadle_jax
        >>> treadle_jax.installed()
        False
    """
    return _FINDER in sys.meta_path


def install() -> None:
    """Let `import jax`, and every module below it, give treadle from now on. Once is enough.

    Processes that `multiprocessing` starts get the hook, too.

    Raises:
        UnsupportedError: the real jax has been imported already, so its objects may be in use.

    Example:
        >>> import treadle_jax
        >>> treadle_jax.install()
        >>> import jax
        >>> import jax.numpy as jnp
        >>> print(jax.grad(jnp.sin)(0.0))
        1.0
        >>> treadle_jax.uninstall()
    """
    if installed():
        return
    real = sys.modules.get("jax")
    if real is not None:
        where = getattr(real, "__file__", None) or "somewhere"
        raise errors.UnsupportedError(
            f"treadle_jax.install: the real jax has been imported already, from {where}",
            fix="call `treadle_jax.install()` before the first `import jax`, also of libraries that import it, "
            "or run the program by `python -m treadle_jax`",
        )
    sys.meta_path.insert(0, _FINDER)
    sys.path_hooks.append(_PATH_HOOK)
    spawned.start()
    origins.start()


def uninstall() -> None:
    """Let `import jax` give what is installed under that name again. What was imported before keeps treadle.

    Libraries that were imported while the hook was in hold treadle's functions: a process that wants both loads them
    again, or is two processes.

    Example:
        >>> import treadle_jax
        >>> treadle_jax.install()
        >>> treadle_jax.uninstall()
        >>> treadle_jax.installed()
        False
    """
    if not installed():
        return
    sys.meta_path.remove(_FINDER)
    sys.path_hooks.remove(_PATH_HOOK)
    spawned.stop()
    origins.stop()
    for name, module in list(sys.modules.items()):
        if isinstance(module, View):
            sys.modules.pop(name, None)
