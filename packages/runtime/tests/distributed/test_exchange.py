import pytest

from treadle_runtime import DistributedError, exchanged, live_processes
from treadle_runtime.client.peers import Peers, met
from treadle_runtime.distributed import exchange


@pytest.fixture
def store(monkeypatch, values):
    met.append(Peers(0, 2, "", None, values, 1))
    monkeypatch.setattr(exchange, "_numbers", [0])
    yield values
    met.clear()


def test_one_process_has_its_own_word():
    assert exchanged("greeting", "hello") == ["hello"]
    assert live_processes() == {0: 0}


def test_words_come_in_the_order_of_processes(store):
    store.key_value_set("treadle/words/0/1", "you")
    store.key_value_set("treadle/words/1/1", "bye")
    assert exchanged("greeting", "me") == ["me", "you"]
    assert exchanged("greeting", "end") == ["end", "bye"]


def test_who_does_not_come_is_named(store):
    with pytest.raises(
        DistributedError, match=r"greeting: process 1 did not reach it within 0\.1 seconds"
    ):
        exchanged("greeting", "me", timeout=0.1)


def test_lost_processes_are_not_alive(store):
    assert live_processes() == {0: 100, 1: 101}
    met[0].lost(1, "process 1 ended")
    assert live_processes() == {0: 100}
