"""Mistakes with meshes, specifications, axis names and uneven shapes: the table of docs/errors.md is what happens."""

from __future__ import annotations

import functools
import re
from typing import Any, Final

import numpy as np
import pytest

import treadle
from conformance.sharding.process import ROOT
from treadle import errors, lax
from treadle.sharding import Mesh, NamedSharding, PartitionSpec as P

TITLE: Final = "### Several devices: which mistake, which message"
ROW: Final = re.compile(r"\| `(.+)` \| `(\w+)` \| (.+) \|")


def table() -> dict[str, tuple[str, str]]:
    """The class and the message of each mistake."""
    page = (ROOT / "docs/errors.md").read_text(encoding="utf-8")
    section = page.partition(TITLE)[2].partition("\n## ")[0]
    return {code: (kind, message) for code, kind, message in ROW.findall(section)}


def names() -> dict[str, Any]:
    """Return the names that the mistakes use."""
    mesh = treadle.make_mesh((4, 2), ("x", "y"))
    return {
        **{name: getattr(treadle, name) for name in ("device_put", "devices", "jit", "make_mesh")},
        **{name: getattr(lax, name) for name in ("ppermute", "psum", "psum_scatter")},
        "with_sharding_constraint": lax.with_sharding_constraint,
        "shard_map": treadle.shard_map,
        "part": functools.partial(treadle.shard_map, mesh=mesh),
        "sin": treadle.numpy.sin,
        "sum": treadle.numpy.sum,
        "ones": functools.partial(np.ones, dtype=np.float32),
        "Mesh": Mesh,
        "NamedSharding": NamedSharding,
        "P": P,
        "mesh": mesh,
        "half": Mesh(np.array(treadle.devices()[:4]), ("x",)),
        "lies": lambda *spec: NamedSharding(mesh, P(*spec)),
    }


def told(code: str, kind: str, message: str) -> None:
    """A mistake raises this class with this message, names a way out, and shows the user's line."""
    with pytest.raises(getattr(errors, kind)) as caught:
        eval(code, names())
    error = caught.value
    assert type(error) is getattr(errors, kind), type(error)
    assert str(error).startswith(message), str(error)
    assert any(note.startswith("  fix: ") for note in error.__notes__), error.__notes__
    assert any(note.startswith("  at ") for note in error.__notes__), error.__notes__


def complete() -> None:
    """The table has what the page promises: each kind of mistake."""
    rows = table()
    assert len(rows) >= 30
    assert {kind for kind, _ in rows.values()} == {
        *("ArgumentError", "AxisNameError", "NoMeshError", "PlacementError", "ShapeError"),
        *("ShardingError", "ShardingTypeError", "TreeError"),
    }


LAWS: Final = {
    **{
        code: functools.partial(told, code, kind, message)
        for code, (kind, message) in table().items()
    },
    "complete": complete,
}
