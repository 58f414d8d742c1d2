"""Whether a program is compiled with its unrolled loops rolled: `treadle_ir.rewrite.roll`."""

from __future__ import annotations

from typing import Final

from treadle_ir import Program

_SMALL: Final = 100  # equations, below which a program compiles quickly anyway


def rolled(program: Program, how: str, platform: str) -> Program:
    """Return the program that is compiled: with scans in the place of unrolled loops, where that is wanted.

    Args:
        program: the program, optimised.
        how: `off`; `auto`, for loops that are certain to win, which was measured on the CPU; or `all`.
        platform: the platform for which it is compiled.
    """
    if how == "off" or (how == "auto" and platform != "cpu"):
        return program
    most = max([len(each.equations) for each in (program, *program.nested())])
    if how == "auto" and most < _SMALL:
        return program
    from treadle_ir.rewrite import certain_to_win, every, map_programs, roll  # noqa: PLC0415 - for large programs

    choose = every if how == "all" else certain_to_win
    return map_programs(program, lambda each: roll(each, choose))
