"""Functions that XLA's partitioner calls: how a custom call is done on the parts that devices have.

The partitioner is registered once in a process. A call has a key, under which its function is
registered here while its program is compiled.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

from treadle_compiler.library import jaxlib, made_once
from treadle_compiler.partitioning import PARTITIONED, part_mark
from treadle_ir import UnsupportedError

PartFunction: TypeAlias = Callable[[list[Any], list[Any]], tuple[str, list[Any], list[Any]]]
"""From shardings of operands and results to a program of one device as text, and their shardings. Any: jaxlib's."""

_asked: dict[bytes, PartFunction] = {}  # by key, of programs that are being compiled
_numbers: Final = itertools.count()


@contextmanager
def partitioned_by(
    text: str,
    partitioners: Sequence[PartFunction],
    client: Any,  # a jaxlib client
) -> Iterator[str]:
    """A module's text with keys where the numbers of its calls stand, while functions answer for these.

    Raises:
        UnsupportedError: the devices' XLA is not jaxlib's own, and cannot call functions of Python.
    """
    if not partitioners:
        yield text
        return
    if client.platform != "cpu":
        raise UnsupportedError(
            f"custom_partitioning over several devices of the platform {client.platform} is not supported",
            fix="use shard_map, in which each device runs a function on its parts",
        )
    _register()
    keys = []
    for number, function in enumerate(partitioners):
        key = f"{next(_numbers)}"
        keys.append(key.encode())
        _asked[keys[-1]] = function
        text = text.replace(f'"{part_mark(number)}"', f'"{key}"')
    try:
        yield text
    finally:
        for each in keys:
            del _asked[each]


@made_once
def _register() -> None:
    register = jaxlib().core.register_custom_call_partitioner
    register(PARTITIONED, _unasked, _partition, _unasked, True)


def _partition(
    shapes: Any, shardings: Any, shape: Any, sharding: Any, key: bytes
) -> tuple[bytes, list[Any], Any]:
    """Partition a call, when XLA asks for it. Any: shapes and shardings of jaxlib's."""
    several = sharding.tuple_elements()
    text, operands, results = _asked[key](list(shardings), list(several or [sharding]))
    tuples = jaxlib().xla_client.HloSharding.tuple_sharding
    return text.encode(), operands, tuples(shape, results) if several else results[0]


def _unasked(*given: Any) -> None:
    """Shardy's rule says how a call's axes belong together, so that XLA never asks. Any: jaxlib's."""
    raise AssertionError("the call has a sharding rule")
