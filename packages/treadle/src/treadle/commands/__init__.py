"""The commands of `python -m treadle`, one topic a file; docs/command-line.md describes them for users.

Each is a function that returns the exit code: 0 if all is well, 1 if something was found or the user's program failed,
`USAGE` if the command cannot be understood or carried out.
"""

from __future__ import annotations

from typing import Final

USAGE: Final = 2
"""The exit code of a command that cannot be understood or carried out."""
