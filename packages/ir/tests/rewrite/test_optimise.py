from collections.abc import Callable

from treadle_ir import Program
from treadle_ir.rewrite import ALL, optimise


def test_optimise(check: Callable[..., Program], title: str) -> None:
    check("optimise", title, lambda program: optimise(program, names=ALL))
