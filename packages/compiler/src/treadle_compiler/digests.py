"""SHA-256 of keys, texts of programs, and executables, without OpenSSL for small data.

`hashlib` loads OpenSSL, which takes a hundredth of a process that jits one function. The module that Python's `random`
uses does not, but it takes 6 ms for a megabyte, where OpenSSL takes 1.
"""

from __future__ import annotations

import sys
from typing import Final

from treadle_ir.errors import import_module, module_or_none

DIGEST_SIZE: Final = 32  # bytes
_OWN: Final = "_sha2" if sys.version_info >= (3, 12) else "_sha256"
_LARGE: Final = 1 << 19  # bytes


def sha256(data: bytes) -> bytes:
    """Return the digest of `data`, of `DIGEST_SIZE` bytes.

    Example:
        >>> sha256(b"treadle").hex()[:8]
        'fa2dcc17'
    """
    fast = len(data) >= _LARGE or "hashlib" in sys.modules
    module = None if fast else module_or_none(_OWN)
    digest: bytes = (module or import_module("hashlib")).sha256(data).digest()
    return digest
