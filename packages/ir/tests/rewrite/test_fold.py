from collections.abc import Callable

from treadle_ir import Program
from treadle_ir.rewrite import fold


def test_fold(check: Callable[..., Program], title: str) -> None:
    check("fold", title, fold)
