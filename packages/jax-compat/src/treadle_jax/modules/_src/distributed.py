"""`jax._src.distributed`: for orbax, whose processes meet by the coordination service."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, final

import treadle
from treadle.errors import JaxRuntimeError
from treadle_compiler import jaxlib
from treadle_runtime import coordination_client


@final
class _Client:
    """jaxlib's client of the coordination service, with errors of the class that `jax.errors` has for them."""

    def __init__(self, client: Any) -> None:  # Any: jaxlib's, here and below
        self._client = client

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._client, name)

        @functools.wraps(method)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return method(*args, **kwargs)
            except jaxlib().core.JaxRuntimeError as error:
                raise JaxRuntimeError(str(error)) from error

        return call


class _State:
    """The state that a process has about the others."""

    @property
    def client(self) -> _Client | None:
        """What speaks to the coordination service; None where there is one process."""
        client = coordination_client()
        return None if client is None else _Client(client)

    @property
    def process_id(self) -> int:
        """The number of this process."""
        return treadle.process_index()

    @property
    def num_processes(self) -> int:
        """How many there are."""
        return treadle.process_count()


global_state: Final = _State()
