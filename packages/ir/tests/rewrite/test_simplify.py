from collections.abc import Callable

import numpy as np

from treadle_ir import ArrayType, Program, ops, stage
from treadle_ir.rewrite import ALL, dce, simplify
from treadle_ir.rewrite.join import MOST


def test_simplify(check: Callable[..., Program], title: str) -> None:
    check("simplify", title, lambda program: simplify(program, ALL))


def test_few_parts_are_joined() -> None:
    def padded(parts):
        total = None
        for i, part in enumerate(parts):
            zero = np.float32(0)
            among = ops.pad(part, zero, low=[i], high=[len(parts) - i - 1], interior=[0])
            total = among if total is None else ops.add(total, among)
        return [total]

    for count, added in ((2, 0), (MOST, 0), (MOST + 1, 1), (MOST + 3, 3)):
        types = [ArrayType((1,), np.dtype(np.float32))] * count
        program = dce(simplify(stage(lambda *parts: padded(parts), *types).program))
        assert [e.primitive.name for e in program.equations].count("add") == added
