"""The contexts in which the law runs all programs: one setting each is other than by default, or several are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Final, TypeAlias

import treadle
import treadle.settings  # all of them are declared
from treadle_ir.rewrite import SIMPLIFY
from treadle_ir.settings import SETTINGS

Entered: TypeAlias = Callable[[], AbstractContextManager[object]]


OTHERS: Final[dict[str, object]] = {
    "check_static_indices": True,
    "random_seed_offset": 5,
    "enable_custom_prng": True,
    "optimization_level": "O0",
    "include_full_tracebacks_in_locations": True,
}


@contextmanager
def several() -> Iterator[None]:
    with ExitStack() as stack:
        stack.enter_context(treadle.enable_x64())
        stack.enter_context(treadle.default_device(treadle.devices()[2]))
        stack.enter_context(treadle.default_matmul_precision("highest"))
        stack.enter_context(SIMPLIFY.override(False))
        for name, value in OTHERS.items():
            stack.enter_context(SETTINGS[name].override(value))
        yield


@contextmanager
def debugged() -> Iterator[None]:
    with treadle.debug_nans(), treadle.debug_infs(), treadle.debug_key_reuse():
        yield


CONTEXTS: Final[dict[str, Entered]] = {
    "plain": nullcontext,
    "x64": lambda: treadle.enable_x64(True),
    "device": lambda: treadle.default_device(treadle.devices()[1]),
    "strict": lambda: treadle.numpy_dtype_promotion("strict"),
    "ranks": lambda: treadle.numpy_rank_promotion("raise"),
    "several": several,
    "debugged": debugged,
}
