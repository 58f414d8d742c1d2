"""Environment variables that a program sets before its `import jax`: JAX reads them there, so the hook does, too.

`JAX_ENABLE_X64`, `JAX_DEBUG_NANS` and their like are settings, which read the environment where treadle declares them:
when the hook is put in, before the first line of the program.
"""

from __future__ import annotations

import os
from typing import Any, final

from treadle_ir.settings import SETTINGS, Setting


@final
class Variables:
    """What the variables of settings were when they were last read."""

    def __init__(self) -> None:
        self._read = {name: _said(setting) for name, setting in SETTINGS.items()}

    def read_again(self) -> None:
        """Let settings have what the environment says by now.

        Those whose variables are as they were, or were taken away, keep what they have.

        Raises:
            ArgumentError: a setting cannot take what its variable says.
        """
        for name, setting in SETTINGS.items():
            said = _said(setting)
            if said != self._read.get(name, said):  # one declared since has read its own
                setting.read_environment()
            self._read[name] = said


def _said(setting: Setting[Any]) -> list[str | None]:  # Any: whatever the setting's type is
    return [os.environ.get(variable) for variable in setting.variables]
