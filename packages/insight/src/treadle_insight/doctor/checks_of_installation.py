"""Checks of what is installed: releases that fit each other, the cache of compiled programs, variables."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from treadle_insight.doctor.machine import Machine, is_ours
from treadle_insight.doctor.versions import requirement
from treadle_insight.finding import Finding, bytes_text
from treadle_insight.kinds import Kind

KINDS: Final = (
    Kind(
        "doctor.version",
        "A library that treadle needs, such as jaxlib or NumPy, is missing, or outside of the supported range.",
    ),
    Kind("doctor.siblings", "Distributions of treadle have releases that do not go together."),
    Kind(
        "doctor.cache_unwritable",
        "The folder of compiled programs cannot be written to: each process compiles again.",
        topic="Why does compiling take so long?",
    ),
    Kind(
        "doctor.cache_full",
        "The disk of compiled programs is full: each process compiles again.",
        topic="Why does compiling take so long?",
    ),
    Kind(
        "doctor.variable_unknown",
        "An environment variable begins as a setting of treadle does, and has no effect.",
        topic="Which names exist?",
    ),
)
_ENOUGH: Final = 100_000_000  # bytes, for the executables of a day's work


def versions(machine: Machine) -> Iterator[Finding]:
    """Yield a finding for each requirement of a distribution of treadle that is not met.

    Args:
        machine: the machine.
    """
    told: set[str] = set()
    for name, lines in machine.requirements.items():
        for needed in filter(None, map(requirement, lines)):
            here = machine.versions.get(needed.name)
            if str(needed) in told or (here is not None and needed.allows(here)):
                continue
            told.add(str(needed))
            state = f"{here} is" if here else "it is not"
            what = f"{name} {machine.versions.get(name, '')} needs {needed}, and {state} installed."
            if is_ours(needed.name):
                yield Finding(
                    "doctor.siblings",
                    what,
                    fix="Install it from the checkout that the others are from.",
                    code=f"python -m pip install packages/{folder_of(needed.name)}",
                )
            else:
                yield Finding(
                    "doctor.version",
                    what,
                    fix="Install a release in this range.",
                    code=f'python -m pip install "{needed}"',
                )


_FOLDERS: Final = MappingProxyType({"treadle-numpy": "numpy-api"})  # others have their names


def folder_of(name: str) -> str:
    """Return the folder of one of treadle's distributions, below `packages` in a checkout.

    Args:
        name: the name of the distribution.

    Example:
        >>> folder_of("treadle-ir"), folder_of("treadle-numpy"), folder_of("treadle")
        ('ir', 'numpy-api', 'treadle')
    """
    return _FOLDERS.get(name, name.removeprefix("treadle-"))


def cache(machine: Machine) -> Iterator[Finding]:
    """Yield a finding if compiled programs cannot be kept on disk.

    Args:
        machine: the machine.
    """
    folder = machine.cache
    if folder is None:
        return
    if not folder.writable:
        yield Finding(
            "doctor.cache_unwritable",
            f"{folder.path}, the folder of compiled programs, cannot be written to: each process compiles again.",
            fix="Choose a folder that is yours.",
            code='export TREADLE_CACHE_DIR="$HOME/treadle-cache"',
        )
    elif folder.free < _ENOUGH:
        yield Finding(
            "doctor.cache_full",
            f"The disk of {folder.path}, the folder of compiled programs, has {bytes_text(folder.free)} free.",
            fix="Free some of it, or choose a folder on another disk.",
            code='export TREADLE_CACHE_DIR="/another/disk/treadle-cache"',
        )


def variables(machine: Machine) -> Iterator[Finding]:
    """Yield a finding for each environment variable that looks like a setting and is none.

    Args:
        machine: the machine.
    """
    for name, message in machine.unknown_variables.items():
        yield Finding(
            "doctor.variable_unknown",
            f"{message[0].upper()}{message[1:].rstrip('.?')}{'?' if message.endswith('?') else '.'}",
            fix="Correct its name, or unset it.",
            code=f"unset {name}",
        )
