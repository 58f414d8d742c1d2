"""What `initialize` refuses; what it does is in `conformance/distributed`."""

import subprocess
import sys

import pytest

from treadle_ir import ArgumentError
from treadle_runtime import PlatformError, devices, initialize, is_initialized, shutdown


def test_nothing_is_initialized_and_shutdown_does_nothing():
    assert not is_initialized()
    shutdown()


def test_arguments_are_checked_before_anything_happens():
    with pytest.raises(ArgumentError, match="process_id is 5, and there are 2 processes"):
        initialize("localhost:1", 2, 5)
    assert not is_initialized()


def test_after_a_device_was_used_it_is_too_late():
    devices()
    with pytest.raises(
        PlatformError, match="initialize: the platform cpu has been started already"
    ) as caught:
        initialize("localhost:1", 1, 0)
    assert "call initialize before anything that needs a device" in caught.value.__notes__[-1]


def test_twice_names_the_first_call():
    code = """
import socket
from treadle_runtime import DistributedError, initialize, is_initialized, process_count, shutdown
with socket.socket() as s:
    s.bind(("127.0.0.1", 0)); port = s.getsockname()[1]
initialize(f"127.0.0.1:{port}", 1, 0)
try:
    initialize(f"127.0.0.1:{port}", 1, 0)
except DistributedError as error:
    print(error)
shutdown()
print(is_initialized(), process_count())
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
    assert "this process is initialized already, since" in ended.stdout
    assert ended.stdout.splitlines()[-1] == "False 1"
