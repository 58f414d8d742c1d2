"""Digests are SHA-256, whichever module computes them."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import pytest

from treadle_compiler.digests import DIGEST_SIZE, sha256


@pytest.mark.parametrize("count", [0, 1, 1_000, 600_000])
def test_it_is_the_digest_of_hashlib(count: int) -> None:
    data = bytes(count)
    assert sha256(data) == hashlib.sha256(data).digest()
    assert len(sha256(data)) == DIGEST_SIZE


def test_hashlib_is_imported_for_large_data_only() -> None:
    code = """
import sys
sys.modules.pop("hashlib", None)
from treadle_compiler.digests import sha256
import sys
before = sha256(b"small"), "hashlib" in sys.modules
after = sha256(bytes(600_000)), "hashlib" in sys.modules
print(before[0].hex(), before[1], after[0].hex(), after[1])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    small, early, large, late = done.stdout.split()
    assert (early, late) == ("False", "True")
    assert small == hashlib.sha256(b"small").hexdigest()
    assert large == hashlib.sha256(bytes(600_000)).hexdigest()
