"""The contexts in which the law runs all programs: one setting each is other than by default, or several are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Final, TypeAlias

import treadle
from treadle_ir.rewrite import SIMPLIFY

Entered: TypeAlias = Callable[[], AbstractContextManager[object]]


@contextmanager
def several() -> Iterator[None]:
    with ExitStack() as stack:
        stack.enter_context(treadle.enable_x64())
        stack.enter_context(treadle.default_device(treadle.devices()[2]))
        stack.enter_context(treadle.default_matmul_precision("highest"))
        stack.enter_context(SIMPLIFY.override(False))
        yield


CONTEXTS: Final[dict[str, Entered]] = {
    "plain": nullcontext,
    "x64": lambda: treadle.enable_x64(True),
    "device": lambda: treadle.default_device(treadle.devices()[1]),
    "strict": lambda: treadle.numpy_dtype_promotion("strict"),
    "ranks": lambda: treadle.numpy_rank_promotion("raise"),
    "several": several,
}
