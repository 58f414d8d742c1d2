import pytest

from treadle_ir import ArgumentError
from treadle_runtime.distributed.options import resolved

DEFAULTS = {
    "coordinator_address": "localhost:8476",
    "num_processes": 2,
    "process_id": 1,
    "local_device_ids": None,
    "cluster_detection_method": None,
    "initialization_timeout": 300,
    "heartbeat_timeout_seconds": 100,
    "shutdown_timeout_seconds": 300,
    "coordinator_bind_address": None,
}


def options(environ=None, **changed):
    return resolved(environ or {}, **{**DEFAULTS, **changed})


def test_arguments_come_before_the_environment():
    environ = {
        "TREADLE_NUM_PROCESSES": "4",
        "TREADLE_PROCESS_ID": "3",
        "TREADLE_LOCAL_DEVICE_IDS": "0,2",
    }
    assert options(environ).processes == 2
    found = options(environ, num_processes=None, process_id=None)
    assert (found.processes, found.process, found.local_device_ids) == (4, 3, (0, 2))
    assert options(environ, local_device_ids=5).local_device_ids == (5,)
    assert options(environ, local_device_ids=[1, 0]).local_device_ids == (1, 0)


def test_process_0_listens_where_it_is_reached():
    assert options().bind_host == "localhost"
    assert options(coordinator_address="10.0.0.1:80").bind_host == ""
    found = options(coordinator_address="[::1]:80", coordinator_bind_address="0.0.0.0:81")
    assert (found.host, found.port, found.bind_host, found.bind_port) == ("::1", 80, "0.0.0.0", 81)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        (
            "coordinator_address",
            None,
            "coordinator_address is not given, and the environment does not specify it",
        ),
        ("coordinator_address", "localhost", "'localhost', which is not a host and a port"),
        ("coordinator_address", "localhost:99999", "not a host and a port"),
        ("coordinator_address", 8476, "coordinator_address must be a string"),
        ("coordinator_bind_address", "x:y", "coordinator_bind_address is 'x:y'"),
        ("num_processes", None, "num_processes is not given"),
        ("num_processes", 0, "num_processes must be a positive number, got 0"),
        ("num_processes", 2.5, "num_processes must be an integer"),
        ("process_id", None, "process_id is not given"),
        ("process_id", 2, "process_id is 2, and there are 2 processes"),
        ("process_id", -1, "process_id is -1"),
        ("process_id", "1", "process_id must be an integer"),
        ("local_device_ids", -1, "devices are counted from 0"),
        ("local_device_ids", 1.5, "local_device_ids must be"),
        (
            "initialization_timeout",
            0,
            "initialization_timeout must be between 1 and 1000000 seconds",
        ),
        ("heartbeat_timeout_seconds", "x", "heartbeat_timeout_seconds must be an integer"),
        ("shutdown_timeout_seconds", 1 << 40, "shutdown_timeout_seconds must be between"),
        ("cluster_detection_method", 3, "cluster_detection_method must be a string"),
    ],
)
def test_mistakes_are_named(name, value, says):
    with pytest.raises(ArgumentError, match="initialize") as caught:
        options(**{name: value})
    assert says in str(caught.value)
