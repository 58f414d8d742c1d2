"""`transfer_guard` and its directions: what is let through, logged and refused, and `no_execution`."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from conformance.platform import environment, skip_without_devices
from treadle.errors import ArgumentError, JaxRuntimeError, NoExecutionError, TransferError

XN = np.ones(3, np.float32)
WIDE = np.ones(3)
jitted = treadle.jit(lambda x: x + 1)
IMPLICIT: dict[str, Callable[[Any], Any]] = {
    "an operand": lambda x: x + XN,
    "an argument": lambda x: jitted(XN),
    "an argument that is narrowed": lambda x: jitted(WIDE),
    "a number as an argument": lambda x: jitted(1.0),
    "array": lambda x: tnp.array(XN),
    "asarray of wide numbers": lambda x: tnp.asarray(WIDE),
    "ahead of time": lambda x: jitted.lower(x).compile()(XN),
}
EXPLICIT: dict[str, Callable[[Any], Any]] = {
    "device_put": lambda x: treadle.device_put(XN),
    "device_put to a device": lambda x: treadle.device_put(XN, treadle.devices()[0]),
}
NONE: dict[str, Callable[[Any], Any]] = {
    "arithmetic": lambda x: x + x,
    "numbers in operations": lambda x: x * 2 + 1,
    "a compiled function": jitted,
    "indexing": lambda x: x[1],
    "new arrays": lambda x: (tnp.ones(3), tnp.arange(3), tnp.zeros_like(x)),
    "composed functions": lambda x: (treadle.nn.softmax(x), tnp.mean(x), tnp.var(x)),
    "reading on the CPU": lambda x: (float(x[0]), np.asarray(x), treadle.device_get(x)),
    "random numbers": lambda x: treadle.random.normal(treadle.random.key(0), (3,)),
}


@pytest.mark.parametrize("name", [*IMPLICIT, *EXPLICIT, *NONE])
@pytest.mark.parametrize("manager", ["transfer_guard", "transfer_guard_host_to_device"])
def test_levels(name: str, manager: str, caplog: pytest.LogCaptureFixture) -> None:
    call = (IMPLICIT | EXPLICIT | NONE)[name]
    x = tnp.ones(3)
    guard = getattr(treadle, manager)
    implicit, explicit = name in IMPLICIT, name in EXPLICIT
    for level, is_hit in {
        "allow": False,
        "log": implicit,
        "disallow": implicit,
        "log_explicit": implicit or explicit,
        "disallow_explicit": implicit or explicit,
    }.items():
        caplog.clear()
        with guard(level):
            if is_hit and level.startswith("disallow"):
                with pytest.raises(TransferError, match="host-to-device") as caught:
                    call(x)
                assert isinstance(caught.value, JaxRuntimeError)
                assert f"{manager}('allow')" in "".join(caught.value.__notes__)
            else:
                call(x)
        assert ("host-to-device" in caplog.text) == (is_hit and level.startswith("log"))
    call(x)


def test_a_direction_of_its_own_wins() -> None:
    with treadle.transfer_guard("disallow"), treadle.transfer_guard_host_to_device("allow"):
        jitted(XN)
    with treadle.transfer_guard_device_to_device("disallow"):
        jitted(XN)
    with pytest.raises(ArgumentError, match="did you mean 'disallow'"):
        treadle.transfer_guard("disalow")


def test_logs_are_warnings(caplog: pytest.LogCaptureFixture) -> None:
    with treadle.transfer_guard("log"):
        jitted(XN)
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("treadle", logging.WARNING)


def test_logs_name_the_argument_and_the_line(caplog: pytest.LogCaptureFixture) -> None:
    with treadle.transfer_guard("log"):
        treadle.jit(lambda x, y: y)(tnp.ones(3), XN)  # here
    (record,) = caplog.records
    text = record.getMessage()
    assert text.startswith("implicit host-to-device transfer of argument y of <lambda>, f32[3] to ")
    assert ", at test_transfers.py:" in text
    assert text.endswith("# here")
    with treadle.transfer_guard("disallow"), pytest.raises(TransferError, match="argument x of"):
        jitted(XN)


OTHER_DEVICE = """
import treadle, treadle.numpy as tnp
here, there = treadle.devices()[:2]
x, y = tnp.ones(3), treadle.device_put(tnp.ones(3), there)
f = treadle.jit(lambda x, y: x + y)
f(x, y)
for manager in (treadle.transfer_guard, treadle.transfer_guard_device_to_device):
    with manager("disallow"):
        treadle.device_put(x, there)
        for call in (lambda: f(x, y), lambda: tnp.ones(3) + y):
            try:
                call()
            except treadle.errors.TransferError as error:
                print(str(error).split(" of ")[0])
    with manager("disallow_explicit"):
        try:
            treadle.device_put(x, there)
        except treadle.errors.TransferError as error:
            print(str(error).split(" of ")[0])
"""


def test_from_device_to_device() -> None:
    skip_without_devices(2)
    done = subprocess.run(
        [sys.executable, "-c", OTHER_DEVICE],
        capture_output=True,
        text=True,
        env={**os.environ, **environment(devices=2)},
    )
    implicit = "Disallowed implicit device-to-device transfer\n"
    explicit = "Disallowed explicit device-to-device transfer\n"
    assert done.stdout == 2 * (2 * implicit + explicit), done.stderr


def test_from_an_accelerator_to_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise the guard's errors: arrays on the CPU are on the host, so a CPU poses as an accelerator here."""
    x = treadle.jit(lambda x: x * 3)(tnp.arange(70_000.0))
    y = treadle.jit(lambda x: x * 3)(tnp.arange(70_000.0))
    monkeypatch.setattr(type(x.device), "platform", property(lambda self: "other"))
    with treadle.transfer_guard("disallow"):
        with pytest.raises(TransferError, match="implicit device-to-host"):
            np.asarray(x)
        assert treadle.device_get(x)[1] == 3
        np.asarray(x)  # the host has it now
    with (
        treadle.transfer_guard_device_to_host("disallow_explicit"),
        pytest.raises(TransferError, match="explicit device-to-host"),
    ):
        treadle.device_get(y)


def test_no_execution_lets_nothing_run() -> None:
    x = tnp.ones(3)
    jitted(x)
    with treadle.no_execution():
        for call in (lambda: x + 1, lambda: jitted(x), lambda: treadle.vmap(jitted)(x)):
            with pytest.raises(NoExecutionError, match="`no_execution` is on"):
                call()
        compiled = treadle.jit(lambda x: x * 5).lower(x).compile()
    assert compiled(x)[0] == 5
