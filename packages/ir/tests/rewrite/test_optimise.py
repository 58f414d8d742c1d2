from collections.abc import Callable

from treadle_ir import Program
from treadle_ir.rewrite import optimise


def test_optimise(check: Callable[..., Program], title: str) -> None:
    check("optimise", title, optimise)
