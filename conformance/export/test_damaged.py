"""`deserialize` survives any bytes: each is an artefact, or gives an `ArgumentError` with a reason and a fix."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from conformance.effort import TIMES
from treadle import export
from treadle.errors import ArgumentError
from treadle.export.container import pack, unpack

pytestmark = pytest.mark.xla


def _artefact() -> bytes:
    weights = tnp.arange(3.0)
    function = treadle.jit(lambda x, k: {"a": [x * weights, None], "b": (k + 1,)})
    return bytes(export.export(function)(tnp.ones(3), k=2).serialize(vjp_order=1))


def _refused(data: bytes) -> None:
    """An error of ours, or an artefact that still has its promises."""
    try:
        found = export.deserialize(data)
    except ArgumentError as error:
        message = str(error)
    else:
        assert found.in_tree.num_leaves == len(found.in_avals)
        assert found.out_tree.num_leaves == len(found.out_avals)
        found.serialize()
        return
    assert message.startswith("deserialize: ")


def test_cut_off_anywhere() -> None:
    data = _artefact()
    for end in range(0, len(data), 7):
        with pytest.raises(ArgumentError, match="deserialize: "):
            export.deserialize(data[:end])


def test_any_byte_changed() -> None:
    data = _artefact()
    draw = random.Random(0)
    for _ in range(200 * TIMES):
        place = draw.randrange(len(data))
        changed = bytearray(data)
        changed[place] ^= 1 << draw.randrange(8)
        with pytest.raises(ArgumentError, match="deserialize: "):
            export.deserialize(bytes(changed))


def test_noise() -> None:
    draw = random.Random(1)
    for length in range(0, 300, 3):
        with pytest.raises(ArgumentError, match="deserialize: "):
            export.deserialize(draw.randbytes(length))


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values inside of JSON, without recursion."""
    todo = [(value, path)]
    while todo:
        value, path = todo.pop()
        if path:
            yield path
        items: Any = value.items() if isinstance(value, dict) else ()
        items = enumerate(value) if isinstance(value, list) else items
        todo += [(inner, (*path, key)) for key, inner in items]


_WRONG: list[Callable[[Any], Any]] = [
    lambda _: None,
    lambda _: -1,
    lambda _: 10**30,
    lambda _: True,
    lambda _: "",
    lambda _: [],
    lambda _: {},
    lambda _: [[]],
    lambda _: 1.5,
    lambda x: [x],
    lambda x: x * 2 if isinstance(x, (str, list)) else x,
    lambda x: x[:-1] if isinstance(x, (str, list)) else x,
    lambda x: x[::-1] if isinstance(x, (str, list)) else x,
    lambda x: x.replace("f32", "i8") if isinstance(x, str) else x,
]


def test_every_field_wrong_under_a_right_checksum() -> None:
    """A deliberate change of the header can come with the right checksum."""
    header, arrays = unpack(_artefact())
    for path in _places(header):
        for wrong in _WRONG:
            changed = copy.deepcopy(header)
            inside = changed
            for key in path[:-1]:
                inside = inside[key]
            inside[path[-1]] = wrong(inside[path[-1]])
            _refused(pack(changed, arrays))
        changed = copy.deepcopy(header)
        inside = changed
        for key in path[:-1]:
            inside = inside[key]
        del inside[path[-1]]
        _refused(pack(changed, arrays))


def test_programs_that_are_damaged() -> None:
    header, arrays = unpack(_artefact())
    text = header["functions"][0]["program"]
    draw = random.Random(2)
    for _ in range(200 * TIMES):
        place = draw.randrange(len(text))
        changed = copy.deepcopy(header)
        end = place + draw.randrange(3)
        put = draw.choice(["", "%", "{", "f32", "@p0", "9" * 30, "\0", "\u2028"])
        changed["functions"][0]["program"] = text[:place] + put + text[end:]
        _refused(pack(changed, arrays))


def test_other_arrays() -> None:
    header, arrays = unpack(_artefact())
    for fewer in range(len(arrays)):
        _refused(pack(header, arrays[:fewer]))
    _refused(pack(header, [*arrays, arrays[0]]))
    _refused(pack(header, [np.zeros(x.shape, np.int32) for x in arrays]))
