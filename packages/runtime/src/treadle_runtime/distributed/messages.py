"""The messages between the coordinator and its clients: JSON objects, one per line. No received data is executed."""

from __future__ import annotations

import contextlib
import json
import socket
from typing import Any, Final, TypeAlias, final

Message: TypeAlias = dict[str, Any]  # Any: strings, numbers and lists of strings, as JSON has them

_LONGEST: Final = 1 << 20
PROTOCOL: Final = 1


@final
class Inbox:
    """Splits received bytes into messages."""

    def __init__(self) -> None:
        self._rest = b""

    def messages(self, data: bytes) -> list[Message]:
        """Return the messages that `data` completes.

        Raises:
            ValueError: the bytes are not messages, so another program uses this port.
        """
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LONGEST:
            raise ValueError("a message without an end")
        found = [json.loads(line) for line in lines]
        if not all(isinstance(each, dict) and isinstance(each.get("kind"), str) for each in found):
            raise ValueError("not a treadle message")
        return found


def send(connection: socket.socket, message: Message) -> None:
    """Send a message if the other side is still connected; if it is not, the next read detects that."""
    with contextlib.suppress(OSError):
        connection.sendall(json.dumps(message).encode() + b"\n")
