"""A GPU without a plugin: it is logged once, when the default platform is chosen, and not where users chose."""

from __future__ import annotations

import logging

import pytest

from treadle_runtime.client import Backends, start


@pytest.fixture(autouse=True)
def gpu_without_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "nvidia_gpu_present", lambda: True)
    monkeypatch.setattr(Backends, "_plugin", lambda self, platform: None)


def test_it_is_logged_once_with_the_command(caplog: pytest.LogCaptureFixture) -> None:
    backends = Backends({})
    with caplog.at_level(logging.WARNING, logger="treadle"):
        assert backends.default().platform == "cpu"
        assert backends.default().platform == "cpu"
    (message,) = [record.getMessage() for record in caplog.records]
    assert message.startswith("there is an NVIDIA GPU, and jaxlib has no plugin for it")
    assert 'fix: python -m pip install "jax-cuda13-plugin[with-cuda]==' in message
    assert "TREADLE_PLATFORMS=cpu" in message


@pytest.mark.parametrize("name", ["TREADLE_PLATFORMS", "TREADLE_PLATFORM_NAME"])
def test_it_is_not_logged_where_the_cpu_was_chosen(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="treadle"):
        assert Backends({name: "cpu"}).default().platform == "cpu"
    assert caplog.records == []


def test_it_is_not_logged_without_a_gpu(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(start, "nvidia_gpu_present", lambda: False)
    with caplog.at_level(logging.WARNING, logger="treadle"):
        Backends({}).default()
    assert caplog.records == []
