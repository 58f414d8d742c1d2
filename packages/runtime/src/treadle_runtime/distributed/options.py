"""The options of `initialize`: from its arguments, and from the environment for arguments that are not given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from treadle_ir import ArgumentError
from treadle_ir.errors import integer, integer_or_none, integers, refused
from treadle_runtime.distributed.clusters import Environment, detect, device_ids

_FIX = "pass it, or start the script by `python -m treadle.distributed.run -n 2 script.py`"


@final
@dataclass(frozen=True, slots=True)
class Options:
    """The participants, the coordinator's address, and the timeouts in seconds."""

    host: str
    port: int
    bind_host: str
    bind_port: int
    processes: int
    process: int
    local_device_ids: tuple[int, ...] | None
    initialization_timeout: int
    heartbeat_timeout: int
    shutdown_timeout: int


def resolved(
    environ: Environment,
    coordinator_address: object,
    num_processes: object,
    process_id: object,
    local_device_ids: object,
    cluster_detection_method: object,
    initialization_timeout: object,
    heartbeat_timeout_seconds: object,
    shutdown_timeout_seconds: object,
    coordinator_bind_address: object,
) -> Options:
    """Return the options of a call of `initialize` with these arguments and environment variables.

    Raises:
        ArgumentError: an argument has the wrong type, a number is out of range, or an option could not be determined.
    """
    method = _text("cluster_detection_method", cluster_detection_method)
    place = detect(environ, method)
    address = _text("coordinator_address", coordinator_address) or place.coordinator_address
    count = integer_or_none("initialize", "num_processes", num_processes)
    count = place.num_processes if count is None else count
    process = integer_or_none("initialize", "process_id", process_id)
    process = place.process_id if process is None else process
    for name, value in (
        ("coordinator_address", address),
        ("num_processes", count),
        ("process_id", process),
    ):
        if value is None:
            raise ArgumentError(
                f"initialize: {name} is not given, and the environment does not specify it",
                fix=_FIX,
            )
    assert address is not None
    assert count is not None
    assert process is not None
    if count < 1:
        raise ArgumentError(
            f"initialize: num_processes must be a positive number, got {count}",
            fix="pass 1 or more",
        )
    if not 0 <= process < count:
        raise ArgumentError(
            f"initialize: process_id is {process}, and there are {count} processes",
            fix=f"pass a number from 0 to {count - 1}, a different one in each process",
        )
    host, port = _host_and_port("coordinator_address", address)
    bind = _text("coordinator_bind_address", coordinator_bind_address)
    # Listen on all interfaces, unless the coordinator's address is on the loopback interface.
    everywhere = host if host in ("localhost", "::1") or host.startswith("127.") else ""
    bind_host, bind_port = (
        (everywhere, port) if bind is None else _host_and_port("coordinator_bind_address", bind)
    )
    return Options(
        host,
        port,
        bind_host,
        bind_port,
        count,
        process,
        _local_device_ids(local_device_ids, place.local_device_ids),
        _seconds("initialization_timeout", initialization_timeout),
        _seconds("heartbeat_timeout_seconds", heartbeat_timeout_seconds),
        _seconds("shutdown_timeout_seconds", shutdown_timeout_seconds),
    )


def _text(name: str, value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise refused("initialize", name, "a string", value)
    return value


def _seconds(name: str, value: object) -> int:
    seconds = integer("initialize", name, value)
    if not 1 <= seconds <= 1_000_000:
        raise ArgumentError(
            f"initialize: {name} must be between 1 and 1000000 seconds, got {seconds}",
            fix="pass a number of seconds such as 300",
        )
    return seconds


def _host_and_port(name: str, address: str) -> tuple[str, int]:
    host, colon, port = address.strip().rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise ArgumentError(
            f"initialize: {name} is {address!r}, which is not a host and a port",
            fix="write it as '10.0.0.1:8476', with the address of process 0 and a port that is free there",
        )
    return host.removeprefix("[").removesuffix("]"), int(port)


def _local_device_ids(value: object, found: tuple[int, ...] | None) -> tuple[int, ...] | None:
    if value is None:
        return found
    if isinstance(value, str):
        return device_ids(value)
    given: Sequence[int]
    if isinstance(value, int):
        given = (integer("initialize", "local_device_ids", value),)
    else:
        given = integers("initialize", "local_device_ids", value)
    if any(number < 0 for number in given):
        raise ArgumentError(
            f"initialize: local_device_ids are {list(given)}, and devices are counted from 0",
            fix="pass numbers of devices of this machine, such as [0, 1]",
        )
    return tuple(given)
