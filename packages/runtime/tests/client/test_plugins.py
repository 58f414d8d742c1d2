"""Plugins of accelerators: what is refused before anything is started."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

from treadle_runtime.client import PlatformError
from treadle_runtime.client.plugins import start_plugin

LIBRARY = Path("jax_plugins/xla_cuda13/xla_cuda_plugin.so")


def test_a_plugin_of_another_release_than_jaxlib_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def version(package: str) -> str:
        asked.append(package)
        return "0.0.1"

    monkeypatch.setattr(metadata, "version", version)
    with pytest.raises(PlatformError, match=r"jax-cuda13-pjrt is of release 0\.0\.1, jaxlib of"):
        start_plugin("cuda", LIBRARY)
    assert asked == ["jax-cuda13-pjrt"]


def test_a_plugin_that_was_built_by_hand_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(package: str) -> str:
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(metadata, "version", version)
    with pytest.raises(PlatformError, match="cannot be started") as caught:
        start_plugin("cuda", LIBRARY)  # which is not there
    assert "release 0.0.1" not in str(caught.value)
