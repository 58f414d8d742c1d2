from collections.abc import Callable

from treadle_ir import Program
from treadle_ir.rewrite import dce


def test_dce(check: Callable[..., Program], title: str) -> None:
    check("dce", title, dce)

    def again(program: Program) -> Program:
        """Apply dce twice, the second time to stored results, which must equal new ones."""
        dce(program, kept=True)
        return dce(program, kept=True)

    check("dce", title, again)
