from __future__ import annotations

import functools
from typing import Any

from treadle_runtime.jitting.options import Split, name_of


def test_names() -> None:
    def f(x: Any) -> Any:
        return x

    assert name_of(f) == "f"
    assert name_of(functools.partial(f)) == "f"
    assert name_of(Split()) == "Split"
