"""Which releases of the libraries the jobs are run with: those pinned, those installed, and what is wrong with them."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

PINNED = Path(__file__).resolve().parent / "requirements.txt"


def pinned() -> dict[str, str]:
    """The pinned version of each distribution."""
    lines = (line.partition("#")[0].strip() for line in PINNED.read_text().splitlines())
    pairs = (line.split("==") for line in lines if line)
    return {name: version for name, version in pairs}  # noqa: C416 - `dict` loses the types


def installed(name: str) -> str | None:
    """The version of a distribution that is installed here, if it is."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def absent(name: str) -> str | None:
    """Return the explanation for a distribution that is not installed; None if it is."""
    if installed(name) is not None:
        return None
    return (
        f"{name} is not installed, so its job was not run. `nox -s clients` installs the releases of "
        f"conformance/clients/{PINNED.name}; if {name} {pinned().get(name, '')} cannot be installed on this Python, "
        "or has been withdrawn, the output of that installation shows it: pin another release there"
    )


def changed(stored: dict[str, str]) -> str | None:
    """Return the explanation for values that were stored with releases that are not the installed ones."""
    others = [
        f"{name} {installed(name)} (stored: {version})"
        for name, version in stored.items()
        if installed(name) not in (version, None)
    ]
    if not others:
        return None
    return (
        f"the stored values are not from the installed releases, {' and '.join(others)}: what differs below may "
        "be the library's own change. `python -m conformance.clients.run --live` compares with JAX itself, and with "
        "`--store` it renews the values"
    )
