from collections.abc import Callable

from treadle_ir import Program
from treadle_ir.rewrite import cse


def test_cse(check: Callable[..., Program], title: str) -> None:
    check("cse", title, cse)
