from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from treadle import profiler
from treadle.errors import PlatformError


def test_a_memory_profile_is_for_pprof(tmp_path: Path) -> None:
    file = tmp_path / "memory.prof"
    profiler.save_device_memory_profile(file)
    assert b"space" in gzip.decompress(file.read_bytes())
    with pytest.raises(PlatformError):
        profiler.device_memory_profile("abacus")
