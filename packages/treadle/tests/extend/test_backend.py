"""jaxlib's clients, as tools that look under treadle want them."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import treadle
from treadle.errors import ArgumentError, UnsupportedError
from treadle.extend import backend


def test_clients_of_platforms() -> None:
    client = backend.get_backend()
    assert client.platform == treadle.default_backend()
    assert backend.get_backend(client) is client
    assert backend.backends()[client.platform] is client
    assert len(client.devices()) == treadle.device_count()
    with pytest.raises(RuntimeError, match="nowhere"):
        backend.get_backend("nowhere")
    with pytest.raises(ArgumentError, match="platform"):
        backend.get_backend(3)


def test_the_default_device_follows_the_setting() -> None:
    last = treadle.devices()[-1]
    with treadle.default_device(last):
        assert backend.get_default_device() == last
    assert backend.get_default_device() == treadle.devices()[0]


def test_options_compile() -> None:
    client = backend.get_backend("cpu")
    options = backend.get_compile_options(
        1, 1, device_assignment=np.array([[treadle.devices("cpu")[0]]])
    )
    from jaxlib import xla_client  # noqa: PLC0415 - what such a tool would do

    text = treadle.jit(lambda x: x + 1).lower(1.0).as_text()
    devices = xla_client.DeviceList(tuple(client.devices()[:1]))
    executable = client.compile_and_load(text, devices, options)
    assert "add" in executable.hlo_modules()[0].to_string()
    profiled = backend.get_compile_options(2, 1, fdo_profile=b"p", detailed_logging=False)
    assert profiled.num_replicas == 2
    assert profiled.executable_build_options.fdo_profile == b"p"
    with pytest.raises(ArgumentError, match="1 devices for 1 x 2"):
        backend.get_compile_options(1, 2, device_assignment=[0])


def test_caches_are_emptied() -> None:
    @functools.lru_cache
    def squared(n: int) -> int:
        return n * n

    backend.register_backend_cache(squared, "test_backend: squares")
    assert squared(3) == 9
    treadle.clear_caches()
    assert squared.cache_info().currsize == 0
    backend.clear_in_memory_compilation_cache()
    assert float(treadle.jit(lambda x: x + 1)(1.0)) == 2
    with pytest.raises(ArgumentError, match="cache_clear"):
        backend.register_backend_cache(3, "no cache")  # type: ignore[arg-type]


def test_platforms_stay() -> None:
    with pytest.raises(UnsupportedError, match="as long as its process"):
        backend.clear_backends()
    with pytest.raises(UnsupportedError, match="'mine'"):
        backend.register_backend_factory("mine", lambda: None)
