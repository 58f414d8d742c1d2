"""Programs in colour, for terminals: names of operations, types, and values each in one."""

from __future__ import annotations

import os
import re
import sys
from typing import Final

from treadle_ir.settings.declared import PPRINT_USE_COLOR

_END: Final = "\x1b[0m"
_COLOURS: Final = {"name": "\x1b[34;1m", "type": "\x1b[36m", "value": "\x1b[35m"}
PARTS: Final = re.compile(
    r"(?P<value>%\w+)"
    r"|(?P<type>\b(?:bool|[iufc]\d+|bf16|f8\w+|key<fry>)\[[^\]\n]*\]\*?(?:\{[^}\n]*\})?)"
    r"|(?<== )(?P<name>[a-z_]\w*)"
)


def wants_colour() -> bool:
    """Return whether to print in colour: the setting is on, and the output is a terminal with colours."""
    plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return PPRINT_USE_COLOR() and not plain and sys.stdout.isatty()


def coloured(text: str) -> str:
    """Return the text of a program with the terminal's codes for colours."""
    return PARTS.sub(lambda found: f"{_COLOURS[found.lastgroup or 'name']}{found[0]}{_END}", text)
