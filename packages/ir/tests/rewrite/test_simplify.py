from collections.abc import Callable

from treadle_ir import Program
from treadle_ir.rewrite import simplify


def test_simplify(check: Callable[..., Program], title: str) -> None:
    check("simplify", title, simplify)
