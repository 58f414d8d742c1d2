"""Messages of failures as they are stored: without what is of one process or of one machine."""

from __future__ import annotations

import re
from typing import Final

# From the root to what is the same everywhere: below a folder of installed packages, an unpacked archive (of the
# kind `flax-0.12.8`), or Python's own library.
_ABOVE: Final = re.compile(
    r"/[^\s'\"]*?/(?:site-packages|python3\.\d+(?!/site-packages)|[\w.]+-\d[\w.]*)/"
)
_ADDRESS: Final = re.compile("0x[0-9a-f]+")


def portable(message: str) -> str:
    """A message on one line, without addresses, its paths from the library on.

    >>> portable("no such file: '/home/me/.nox/clients/lib/python3.11/site-packages/optax/a.py'")
    "no such file: 'optax/a.py'"
    """
    return _ADDRESS.sub("0x", _ABOVE.sub("", " ".join(message.split())))
