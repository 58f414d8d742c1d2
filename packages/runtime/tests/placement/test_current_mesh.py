"""The mesh in force."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from treadle_ir import AbstractMesh, ArgumentError
from treadle_runtime import (
    Mesh,
    devices,
    get_abstract_mesh,
    get_mesh,
    set_mesh,
    use_abstract_mesh,
)

MESH = Mesh(devices(), ("x",))
OTHER = Mesh(devices()[:2], ("y",))


def in_a_thread(call: Any) -> Any:
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(call()))
    thread.start()
    thread.join()
    return found[0]


def test_for_a_while() -> None:
    assert get_mesh().empty
    with set_mesh(MESH) as entered:
        assert entered is get_mesh() is MESH
        assert get_abstract_mesh() is MESH.abstract_mesh
        with set_mesh(OTHER):
            assert get_mesh() is OTHER
        assert get_mesh() is MESH
    assert get_mesh().empty
    assert get_abstract_mesh().empty


def test_what_is_for_a_while_is_for_one_thread() -> None:
    with set_mesh(MESH):
        assert in_a_thread(get_mesh).empty

        def inner() -> Mesh:
            with set_mesh(OTHER):
                return get_mesh()

        assert in_a_thread(inner) is OTHER
        assert get_mesh() is MESH


def test_without_with_it_is_for_the_process() -> None:
    set_mesh(MESH)
    try:
        assert get_mesh() is MESH
        assert in_a_thread(get_mesh) is MESH
    finally:
        set_mesh(None)
    assert get_mesh().empty


def test_after_an_error_it_is_left() -> None:
    with pytest.raises(KeyError), set_mesh(MESH):
        raise KeyError
    assert get_mesh().empty


def test_axes_without_devices() -> None:
    axes = AbstractMesh((3,), ("x",))
    with use_abstract_mesh(axes):
        assert get_abstract_mesh() is axes
        assert get_mesh().empty


@pytest.mark.parametrize("given", ["x", 3, AbstractMesh((3,), ("x",))])
def test_what_is_no_mesh(given: Any) -> None:
    with pytest.raises(ArgumentError):
        set_mesh(given)
    assert get_mesh().empty
