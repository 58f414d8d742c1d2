from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArrayType, MissingRuleError, Operand, ops, stage
from treadle_ir.tracing import (
    install,
    installed_sharding,
    installed_vmap,
    ports,
    shown_program,
)


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for port in ("vmap", "sharding", "program_view"):
        monkeypatch.setattr(ports.installed, port, None)


def test_programs_are_shown_by_what_is_installed() -> None:
    program = stage(lambda x: [ops.add(x, x)], ArrayType((), np.dtype("f4"))).program
    assert shown_program(program, []) is program
    install(program_view=lambda program, captured, shardings: (program, *captured, shardings))
    captured: list[Operand] = [np.float32(1), np.float32(2)]
    assert shown_program(program, captured) == (program, *captured, None)
    shardings = ([None], ["over x"])
    assert shown_program(program, captured, shardings) == (program, *captured, shardings)


@pytest.mark.parametrize(
    ("port", "fix"),
    [
        (installed_vmap, "install(vmap=treadle_batching.vmap)"),
        (installed_sharding, "install(sharding=treadle_runtime)"),
    ],
)
def test_a_missing_port_says_how_to_install_it(port: Callable[[str], Any], fix: str) -> None:
    with pytest.raises(MissingRuleError, match="map needs") as caught:
        port("map")
    assert fix in "".join(caught.value.__notes__)


def test_installing_one_port_keeps_the_others() -> None:
    class Shardings:
        def with_sharding_constraint(self, x: Any, shardings: Any) -> Any:
            return x

        def reshard(self, xs: Any, out_shardings: Any) -> Any:
            return xs

    shardings = Shardings()
    install(sharding=shardings)
    install(vmap=lambda function: function)
    assert installed_sharding("reshard") is shardings
    assert installed_vmap("map")(abs) is abs
