"""What goes between the meeting and its lines: objects of JSON, one a line. Nothing that comes in is run."""

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
    """Bytes in, messages out."""

    def __init__(self) -> None:
        self._rest = b""

    def messages(self, data: bytes) -> list[Message]:
        """The messages that are whole with these bytes.

        Raises:
            ValueError: these are no messages, so something else talks at this port.
        """
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LONGEST:
            raise ValueError("a message without an end")
        found = [json.loads(line) for line in lines]
        if not all(isinstance(each, dict) and isinstance(each.get("kind"), str) for each in found):
            raise ValueError("no message of treadle's")
        return found


def send(connection: socket.socket, message: Message) -> None:
    """Send a message, if the other side is still there; that it is not, is heard by whoever reads from it."""
    with contextlib.suppress(OSError):
        connection.sendall(json.dumps(message).encode() + b"\n")
