"""Write programs to the folder that `dump_ir_to` names: the module, and the program after each pass that changed it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Final

from treadle_compiler.legalise import Stage
from treadle_compiler.settings import DEBUG_INFO_IN_DUMPS, DUMP_IR_MODES, DUMP_IR_TO
from treadle_ir import ArgumentError

_numbers: Final = count()  # so that files of one process do not replace each other


def dump(name: str, platform: str, stages: Sequence[Stage], text: Callable[[bool], str]) -> None:
    """Write a program that was lowered, if the settings request it.

    Args:
        name: of the function.
        platform: what it was lowered for.
        stages: the program as it was given, under an empty name, and after each pass that changed it.
        text: makes the module, with locations or without.

    Raises:
        ArgumentError: the folder cannot be written to.
    """
    folder = DUMP_IR_TO()
    if folder is None:
        return
    plain = re.sub(r"\W+", "_", name).strip("_") or "program"
    stem = f"treadle_{os.getpid()}_{next(_numbers):04}_{plain}_{platform}"
    located = DEBUG_INFO_IN_DUMPS()
    try:
        path = Path(folder).expanduser()
        path.mkdir(parents=True, exist_ok=True)
        if "stablehlo" in DUMP_IR_MODES():
            from treadle_compiler.mlir import pretty  # noqa: PLC0415 - few dump

            module = pretty(text(located), locations=located)
            (path / f"{stem}.mlir").write_text(module, encoding="utf-8")
        if "jaxpr" in DUMP_IR_MODES():
            for number, (stage, program) in enumerate(stages):
                after = f".{number}_{stage}" if stage else ""
                (path / f"{stem}{after}.treadle").write_text(f"{program}\n", encoding="utf-8")
    except OSError as error:
        raise ArgumentError(
            f"dump_ir_to: cannot write to {folder}: {error.strerror or error}",
            fix="name a folder that can be written to, or None",
            where="",
        ) from error
