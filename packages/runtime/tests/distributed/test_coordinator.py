"""The coordinator and its clients, in threads of one process; no jaxlib."""

import socket
import threading
import time

import pytest

from treadle_runtime import DistributedError
from treadle_runtime.distributed import coordinator_client
from treadle_runtime.distributed.coordinator import Coordinator
from treadle_runtime.distributed.coordinator_client import CoordinatorClient
from treadle_runtime.distributed.messages import PROTOCOL
from treadle_runtime.distributed.options import Options


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def options(port, process, count, initialization=10, heartbeat=100):
    return Options(
        "127.0.0.1", port, "127.0.0.1", port, count, process, None, initialization, heartbeat, 5
    )


def joined(port, numbers, count, **times):
    """Return the client of each process that joins, or its error."""
    found = {}

    def join(place, number):
        try:
            found[place] = CoordinatorClient(options(port, number, count, **times))
        except DistributedError as error:
            found[place] = error

    threads = [threading.Thread(target=join, args=each) for each in enumerate(numbers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return [found[place] for place in range(len(numbers))]


def reported(client):
    """Return a list to which the failures reported to `client` are appended."""
    failures = []
    client.listen(lambda process, why: failures.append((process, why)), lambda process, name: None)
    return failures


def eventually(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    assert condition()


@pytest.fixture
def port():
    return free_port()


def test_all_join_and_leave(port):
    coordinator = Coordinator(options(port, 0, 3), lambda: "service:1")
    clients = joined(port, [0, 1, 2], 3)
    assert [client.service for client in clients] == ["service:1"] * 3
    assert len(clients[0].names) == 3
    failures = [reported(client) for client in clients]
    left = [
        threading.Thread(target=lambda client=client: came.append(client.leave(10)))
        for client in clients
    ]
    came = []
    for thread in left:
        thread.start()
    for thread in left:
        thread.join()
    assert came == [True] * 3
    for client in clients:
        client.close()
    coordinator.close(5)
    assert failures == [[], [], []]


def test_lost_and_failed_processes_are_reported(port):
    coordinator = Coordinator(options(port, 0, 3), lambda: "service:1")
    clients = joined(port, [0, 1, 2], 3)
    failures = [reported(client) for client in clients]
    clients[1].close()
    eventually(lambda: failures[0] and failures[2])
    ((process, why),) = failures[0]
    assert process == 1
    assert why.startswith("process 1 (")
    assert why.endswith("disconnected unexpectedly: it was killed, or crashed")
    clients[2].fail("ValueError: x")
    eventually(lambda: len(failures[0]) == 2)
    assert failures[0][1][1].endswith("ended with ValueError: x")
    clients[2].close()
    clients[0].follow()
    clients[0].close()
    coordinator.close(5)


def test_a_process_that_cannot_wait_for_the_others_exits_early(port):
    coordinator = Coordinator(options(port, 0, 2), lambda: "service:1")
    clients = joined(port, [0, 1], 2)
    failures = [reported(client) for client in clients]
    assert clients[1].leave(0.3) is False
    clients[1].close()
    eventually(lambda: failures[0])
    assert "exited early" in failures[0][0][1]
    clients[0].close()
    coordinator.close(5)


def test_silence_is_a_failure(port):
    coordinator = Coordinator(options(port, 0, 2, heartbeat=1), lambda: "service:1")
    clients = joined(port, [0, 1], 2, heartbeat=1)
    failures = reported(clients[0])  # the other client never starts its heartbeats
    eventually(lambda: failures)
    assert failures[0][0] == 1
    assert "for 1 seconds" in failures[0][1]
    for client in clients:
        client.close()
    coordinator.close(5)


def test_equal_process_ids_abort_start_up(port):
    Coordinator(options(port, 0, 3), lambda: "service:1")
    for error in joined(port, [0, 1, 1], 3):
        assert "two processes have the process_id 1" in str(error)


def test_different_counts_abort_start_up(port):
    coordinator = Coordinator(options(port, 0, 2), lambda: "service:1")
    (error,) = joined(port, [1], 3)
    assert "num_processes is 3 in " in str(error)
    coordinator.close(5)


def test_missing_processes_are_named(port):
    Coordinator(options(port, 0, 4, initialization=1), lambda: "service:1")
    for error in joined(port, [0, 2], 4, initialization=1):
        assert "processes 1, 3 did not join within 1 seconds; processes 0, 2 did" in str(error)


def test_a_service_that_does_not_start_is_reported_to_all(port):
    def service():
        raise DistributedError("initialize: no service")

    Coordinator(options(port, 0, 2), service)
    for error in joined(port, [0, 1], 2):
        assert "no service" in str(error)


def test_no_coordinator(port):
    (error,) = joined(port, [1], 2, initialization=1)
    assert f"did not accept connections at 127.0.0.1:{port} within 1 seconds" in str(error)


def test_another_program_at_the_address(port):
    with socket.create_server(("127.0.0.1", port)) as other:

        def answer():
            connection, _ = other.accept()
            connection.sendall(b"HTTP/1.1 400 Bad Request\n")
            connection.close()

        threading.Thread(target=answer, daemon=True).start()
        (error,) = joined(port, [1], 2, initialization=2)
    assert "is not a treadle process" in str(error)


def test_other_programs_are_disconnected(port):
    coordinator = Coordinator(options(port, 0, 1), lambda: "service:1")
    with socket.create_connection(("127.0.0.1", port)) as other:
        other.sendall(b"GET / HTTP/1.1\r\n\r\n")
        other.settimeout(5)
        assert other.recv(100) == b""
    (client,) = joined(port, [0], 1)
    client.close()
    coordinator.close(5)


def test_port_in_use():
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(DistributedError, match=f"port {port} of 127.0.0.1 is in use"):
            Coordinator(options(port, 0, 1), lambda: "")


def test_address_of_another_machine():
    unreachable = Options("192.0.2.1", 1, "192.0.2.1", 1, 1, 0, None, 1, 1, 1)
    with pytest.raises(
        DistributedError, match=r"process 0 cannot listen at port 1 of 192\.0\.2\.1"
    ):
        Coordinator(unreachable, lambda: "")


def test_another_version_of_the_protocol_is_refused(port, monkeypatch):
    monkeypatch.setattr(coordinator_client, "PROTOCOL", PROTOCOL + 1)
    coordinator = Coordinator(options(port, 0, 2), lambda: "service:1")
    (found,) = joined(port, [1], 2)
    coordinator.close(5)
    assert isinstance(found, DistributedError)
    assert "a different version of treadle" in str(found)
