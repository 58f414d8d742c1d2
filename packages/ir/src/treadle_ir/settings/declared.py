"""Settings that more than one distribution reads: how programs are run, checked and logged."""

from __future__ import annotations

import os
from typing import Final

from treadle_ir.settings.context import Setting, one_of, yes_or_no
from treadle_ir.settings.parsers import names_of, whole_number

DISABLE_JIT: Final = Setting(
    "disable_jit",
    False,
    parse=yes_or_no,
    instrumented=True,
    help="Jitted functions, loops and branches run as the Python that they are, for a look at values with print or "
    "a debugger.",
)
DEBUG_NANS: Final = Setting(
    "debug_nans",
    False,
    parse=yes_or_no,
    instrumented=True,
    help="A result that holds a nan is a FloatingPointError that names the operation and the line. A compiled "
    "function whose results hold one is run again, one operation at a time. Nothing is donated.",
)
DEBUG_INFS: Final = Setting(
    "debug_infs",
    False,
    parse=yes_or_no,
    instrumented=True,
    help="As `debug_nans`, for infinities.",
)
DEBUG_KEY_REUSE: Final = Setting(
    "debug_key_reuse",
    False,
    parse=yes_or_no,
    instrumented=True,
    help="A typed random key that is used twice is a KeyReuseError that names both lines.",
)
KEY_LISTENERS: Final = Setting(
    "key_listeners",
    0,
    instrumented=True,
    listed=False,
    help="The number of listeners that are notified of random keys that are used twice, instead of an error.",
)
LEAK_LISTENERS: Final = Setting(
    "leak_listeners",
    0,
    keyed=False,
    listed=False,
    help="The number of listeners that are notified of traced arrays that outlive their trace, instead of an error.",
)
ENABLE_CHECKS: Final = Setting(
    "enable_checks",
    False,
    parse=yes_or_no,
    keyed=False,
    help="Every program that is staged, derived or rewritten is verified: for authors of primitives and rules.",
)
CHECK_TRACER_LEAKS: Final = Setting(
    "check_tracer_leaks",
    False,
    parse=yes_or_no,
    keyed=False,
    help="A traced array that outlives its transformation is an error when the transformation ends, which names who "
    "holds it. The garbage collector runs where something still refers to a trace that has ended.",
)
NO_TRACING: Final = Setting(
    "no_tracing",
    False,
    parse=yes_or_no,
    keyed=False,
    help="Tracing a function for jit is an error: calls must be like those before.",
)
LOG_COMPILES: Final = Setting(
    "log_compiles",
    False,
    parse=yes_or_no,
    keyed=False,
    help="What is staged, lowered and compiled, and how long it took, is logged as a warning; else at level DEBUG.",
)
EXPLAIN_CACHE_MISSES: Final = Setting(
    "explain_cache_misses",
    False,
    parse=yes_or_no,
    keyed=False,
    help="Each time that a jitted function is staged, why is logged: what differs from the calls before.",
)
ADVICE: Final[Setting[str]] = Setting(
    "advice",
    "default",
    parse=one_of("off", "default", "all", "error"),
    keyed=False,
    help="Advice of treadle-insight, if it is installed, to the logger `treadle.advice`: by `default` where tracing or "
    "compiling has already cost a second that could be saved, once for each place; with `all` also the findings of "
    "`treadle.watch`; `error` raises an error instead; `off` switches advice off.",
)
LOGGING_LEVEL: Final = Setting(
    "logging_level",
    "NOTSET",
    parse=one_of("NOTSET", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL", None),
    keyed=False,
    help="The level of the logger `treadle`, with a handler that writes to stderr; NOTSET leaves both to the user.",
)
LOG_CHECKPOINT_RESIDUALS: Final = Setting(
    "log_checkpoint_residuals",
    False,
    parse=yes_or_no,
    keyed=False,
    help="What a `checkpoint` keeps for its derivative is logged when it is differentiated.",
)


def _filtering(value: object) -> str:
    if value is None or value == "":
        return "auto"
    words = {"full": "off", False: "off", True: "auto"}
    return str(_known(words.get(value, value) if isinstance(value, (str, bool)) else value))


_known: Final = one_of("auto", "off", "tracebackhide", "remove_frames", "quiet_remove_frames")
TRACEBACK_FILTERING: Final = Setting(
    "traceback_filtering",
    "auto",
    parse=_filtering,
    keyed=False,
    help="`off` shows treadle's own frames in tracebacks; all other values leave them out, in the same way. "
    "`TREADLE_TRACEBACK=full` is the same as `off`.",
)
if os.environ.get("TREADLE_TRACEBACK") == "full":
    TRACEBACK_FILTERING.set("off")

FULL_TRACEBACKS: Final = Setting(
    "include_full_tracebacks_in_locations",
    False,
    parse=yes_or_no,
    help="Staged operations remember the lines that called their line, too, up to "
    "`tracer_error_num_traceback_frames`: messages about traced arrays, and locations in program text, name them.",
)
TRACEBACK_FRAMES: Final = Setting(
    "tracer_error_num_traceback_frames",
    5,
    parse=whole_number(least=1),
    help="How many lines of the user's are remembered where `include_full_tracebacks_in_locations` is on.",
)
PPRINT_USE_COLOR: Final = Setting(
    "pprint_use_color",
    True,
    parse=yes_or_no,
    keyed=False,
    help="What `make_jaxpr` returns is printed in colour, on terminals that have colours (NO_COLOR is respected).",
)
MUTABLE_ARRAY_CHECKS: Final = Setting(
    "mutable_array_checks",
    True,
    parse=yes_or_no,
    keyed=False,
    help="No effect: that no reference is given to a function twice, or returned from it, is always checked.",
)
EXPLICIT_X64: Final = Setting(
    "explicit_x64_dtypes",
    "warn",
    parse=one_of("allow", "warn", "error"),
    help="What happens where a 64-bit type is named while `enable_x64` is off: `warn` narrows it and warns, `error` "
    "refuses it, `allow` has it.",
)
SIMPLIFY: Final[Setting[bool | str]] = Setting(
    "simplify",
    True,
    parse=names_of("cancel_add_sub", "join_parts", "log_exp", "log_sqrt"),
    help="Programs under jit are simplified by the named rules of docs/simplifications.md: by those that are on by "
    "default, by `all`, by none (False), or by those that it names, with commas between them.",
)


def _rolling(value: object) -> str:
    words = {True: "auto", False: "off", "": "off", None: "auto"}
    return str(_roll_words(words.get(value, value) if isinstance(value, (str, bool)) else value))


_roll_words: Final = one_of("auto", "off", "all")
ROLL: Final = Setting(
    "roll",
    "auto",
    parse=_rolling,
    help="Python loops that tracing has unrolled are compiled as loops: `auto` where that is certain to compile and to "
    "run more quickly, `all` wherever it is possible, `off` never.",
)
