from collections.abc import Callable

from treadle_ir import Program
from treadle_ir.rewrite import inline


def test_inline(check: Callable[..., Program], title: str) -> None:
    check("inline", title, inline)
