"""SHA-256 without OpenSSL, which `hashlib` loads: that takes a hundredth of a process that jits one function.

Python's `random` uses the same modules. What is digested here are keys, texts of programs, and executables.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from treadle_ir.errors import module_or_none

if TYPE_CHECKING:
    from hashlib import sha256 as sha256
else:
    _own = "_sha2" if sys.version_info >= (3, 12) else "_sha256"
    sha256 = module_or_none(_own, "hashlib").sha256
