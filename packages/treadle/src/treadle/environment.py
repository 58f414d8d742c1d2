"""The environment: what is installed here, for reports; and unused variables."""

from __future__ import annotations

import os
import platform
import sys
import warnings
from collections.abc import Mapping
from typing import Final

from treadle._version import __version__
from treadle_ir import ArgumentError
from treadle_ir.errors import did_you_mean, flags
from treadle_ir.settings import SETTINGS, yes_or_no

_PREFIXES: Final = ("TREADLE_", "JAX_")
_STRICT: Final = "TREADLE_STRICT"
# Variables that are not settings' own.
_OTHERS: Final = frozenset(
    {
        # of processes: `treadle_runtime/distributed/clusters.py`
        *[
            prefix + name
            for prefix in _PREFIXES
            for name in ("COORDINATOR_ADDRESS", "NUM_PROCESSES", "PROCESS_ID", "LOCAL_DEVICE_IDS")
        ],
        "TREADLE_CACHE",
        "TREADLE_CACHE_DIR",
        "TREADLE_CACHE_SIZE",
        "TREADLE_CPU_ASYNC",
        "TREADLE_MEM_FRACTION",
        "TREADLE_PREALLOCATE",
        _STRICT,
        "TREADLE_TRACEBACK",
    }
)
_OURS: Final = ("TREADLE_CONFORMANCE_", "TREADLE_PARITY_")  # of treadle's own tests


def unknown_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Return a message for each variable that looks like a setting and is none, with the name that is nearest.

    Args:
        environ: the environment variables.
    """
    given = [
        name
        for name in environ
        if name.startswith(_PREFIXES)
        and not name.startswith(_OURS)
        and name not in _OTHERS
        and name.partition("_")[2].lower() not in SETTINGS
    ]
    if not given:  # else it may be a setting that has not been declared yet
        return {}
    from treadle.settings import names  # noqa: PLC0415 - only where there is such a variable

    known = [prefix + name.upper() for prefix in _PREFIXES for name in names()]
    return {
        name: f"the environment variable {name} has no effect: treadle has no such setting"
        f"{did_you_mean(name, [*known, *_OTHERS])}"
        for name in sorted(given)
        if name not in known
    }


def warn_of_unknown(environ: Mapping[str, str]) -> None:
    """Warn of variables that look like settings and are none, with the name that is nearest.

    Args:
        environ: the environment variables.
    """
    for message in unknown_variables(environ).values():
        warnings.warn(message, UserWarning, stacklevel=2)


def apply_strictness(environ: Mapping[str, str]) -> None:
    """Call `config.strict()` if `TREADLE_STRICT` asks for it; variables of single settings take precedence.

    Args:
        environ: the environment variables.

    Raises:
        ArgumentError: the value of the variable is neither yes nor no.
    """
    if _STRICT not in environ:
        return
    from treadle.settings import config  # noqa: PLC0415 - only where there is such a variable

    try:
        on = yes_or_no(environ[_STRICT])
    except ValueError as error:
        raise ArgumentError(
            f"environment variable {_STRICT} is {environ[_STRICT]!r}, which {error}",
            fix=f"unset {_STRICT}, or set it to 1 or 0",
            where="",
        ) from None
    if on:
        config.strict(environ=environ)


def print_environment_info(return_string: bool = False) -> str | None:
    """Print the versions and devices that a report of a fault should name; or return that as text.

    Example:
        >>> import treadle
        >>> treadle.print_environment_info(return_string=True).splitlines()[0].startswith("treadle:")
        True
    """
    import jaxlib  # noqa: PLC0415 - only its version
    import numpy as np  # noqa: PLC0415

    from treadle_runtime import devices, process_count  # noqa: PLC0415

    flags("print_environment_info", return_string=return_string)
    found = devices()
    system = " ".join(platform.uname()[0:1] + platform.uname()[2:3] + platform.uname()[4:5])
    text = "\n".join(
        [
            f"treadle: {__version__}",
            f"jaxlib:  {jaxlib.version.__version__}",
            f"numpy:   {np.__version__}",
            f"python:  {sys.version}",
            f"devices: {len(found)} of kind {found[0].device_kind} ({found[0].platform})",
            f"process_count: {process_count()}",
            f"platform: {system}",
            *[
                f"{name}={value}"
                for name, value in sorted(os.environ.items())
                if name.startswith((*_PREFIXES, "XLA_"))
            ],
        ]
    )
    if return_string:
        return text
    print(text)
    return None
