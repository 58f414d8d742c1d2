from collections.abc import Callable

from treadle_ir import Program
from treadle_ir.rewrite import dce


def test_dce(check: Callable[..., Program], title: str) -> None:
    check("dce", title, dce)
