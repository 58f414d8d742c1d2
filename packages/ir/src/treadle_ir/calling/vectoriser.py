"""The vectoriser port: `vmap`, for packages below or beside the one that provides it.

`lax.map` with a batch size and `pmap` need `vmap`, which is treadle_batching's. Who assembles the packages installs it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from treadle_ir.errors.kinds import MissingRuleError

# vmap(fun, in_axes, out_axes, axis_name, axis_size). Any: functions of trees, and trees of axes.
Vmap: TypeAlias = Callable[..., Callable[..., Any]]

_installed: Final[list[Vmap]] = []  # at most one


def install_vmap(vmap: Vmap | None) -> None:
    """Make a function the `vmap` of this process; None: there is none."""
    _installed[:] = [vmap] if vmap is not None else []


def installed_vmap(who: str) -> Vmap:
    """The `vmap` of this process; `who` needs it, for the message where there is none.

    Raises:
        MissingRuleError: none is installed.
    """
    if not _installed:
        raise MissingRuleError(
            f"{who} needs vmap, and none is installed",
            fix="`import treadle`, or `treadle_ir.calling.install_vmap(treadle_batching.vmap)`",
        )
    return _installed[0]
