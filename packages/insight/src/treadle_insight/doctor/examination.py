"""The examination: all checks on a machine, as a report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from treadle_insight.doctor import checks_of_gpus, checks_of_installation
from treadle_insight.doctor.machine import Machine, is_ours
from treadle_insight.finding import Finding
from treadle_insight.report import Report, Table

KINDS: Final = (*checks_of_gpus.KINDS, *checks_of_installation.KINDS)

_SHOWN: Final = ("jaxlib", "numpy", "scipy", "ml-dtypes")

Check = Callable[[Machine], Iterator[Finding]]
_CHECKS: Final[tuple[Check, ...]] = (
    checks_of_gpus.plugin_missing,
    checks_of_gpus.plugin_release,
    checks_of_gpus.driver_old,
    checks_of_gpus.library_shadowed,
    checks_of_gpus.memory_taken,
    checks_of_installation.versions,
    checks_of_installation.cache,
    checks_of_installation.variables,
)


def examined(machine: Machine) -> Report:
    """Return a report on an installation: what is wrong, each with the command that fixes it, and what there is.

    Args:
        machine: what is known of the machine and its installation.

    Example:
        >>> examined(Machine()).findings()
        ()
    """
    found = [finding for check in _CHECKS for finding in check(machine)]
    return Report("the installation", found, [_installation(machine)])


def _installation(machine: Machine) -> Table:
    """Return what there is: releases, the driver, plugins, the cache folder."""
    shown = [*_SHOWN, *sorted([name for name in machine.versions if is_ours(name)])]
    rows = [(name, machine.versions.get(name, "not installed")) for name in shown]
    if machine.driver is not None:
        rows.append(("NVIDIA driver", machine.driver.release))
        rows += [(f"GPU {each.number}", each.name) for each in machine.driver.gpus]
    elif machine.gpu:
        rows.append(("NVIDIA GPU", "there is one, and its driver cannot be asked"))
    rows += [(each.distribution, each.release or "unknown") for each in machine.plugins]
    if machine.cache is not None:
        rows.append(("compiled programs", machine.cache.path))
    return Table("installed", ("what", "which"), tuple(rows))
