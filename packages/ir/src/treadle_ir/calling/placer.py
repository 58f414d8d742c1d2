"""The placer port: how arrays lie over devices, for packages that know nothing of devices.

`lax.with_sharding_constraint` needs it. Who assembles the packages installs it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from treadle_ir.errors.kinds import MissingRuleError

# placer(tree, shardings): the tree, laid out so. Any: trees of arrays, and trees of the runtime's shardings.
Placer: TypeAlias = Callable[[Any, Any], Any]

_installed: Final[list[Placer]] = []  # at most one of each


def install_placer(placer: Placer | None, resharder: Placer | None = None) -> None:
    """Make functions the placer and the resharder of this process; None: there is none.

    A placer says how arrays lie, and over explicit axes only checks it; a resharder lays them anew.
    """
    _installed[:] = [placer, resharder or placer] if placer is not None else []


def installed_placer(who: str) -> Placer:
    """The placer of this process; `who` needs it, for the message where there is none.

    Raises:
        MissingRuleError: none is installed.
    """
    if not _installed:
        raise MissingRuleError(
            f"{who} needs devices, and no runtime is installed",
            fix="`import treadle`, or `treadle_ir.calling.install_placer(treadle_runtime.with_sharding_constraint)`",
        )
    return _installed[0]


def installed_resharder(who: str) -> Placer:
    """The resharder of this process; `who` needs it, for the message where there is none.

    Raises:
        MissingRuleError: none is installed.
    """
    installed_placer(who)
    return _installed[1]
