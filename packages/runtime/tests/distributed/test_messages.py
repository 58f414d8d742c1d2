import pytest

from treadle_runtime.distributed.messages import Inbox


def test_messages_come_whole_however_they_are_cut():
    inbox = Inbox()
    data = b'{"kind": "a", "x": 1}\n{"kind": "b"}\n{"ki'
    found = [message for byte in data for message in inbox.messages(bytes([byte]))]
    assert found == [{"kind": "a", "x": 1}, {"kind": "b"}]
    assert inbox.messages(b'nd": "c"}\n') == [{"kind": "c"}]


@pytest.mark.parametrize(
    "data", [b"GET / HTTP/1.1\n", b"3\n", b'{"no": 1}\n', b'{"kind": 1}\n', b"x" * (1 << 21)]
)
def test_other_talk_is_refused(data):
    with pytest.raises(ValueError, match=r"message|Expecting"):
        Inbox().messages(data)
