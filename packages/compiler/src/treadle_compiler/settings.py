"""Settings of the compiler: how much effort it takes, what it keeps on disk, what it writes down for a look."""

from __future__ import annotations

from typing import Final

from treadle_ir.settings import (
    Setting,
    one_of,
    path_or_none,
    seconds,
    whole_number,
    words_among,
    yes_or_no,
)

NO_CACHE_LIMIT: Final = -1

ENABLE_COMPILATION_CACHE: Final = Setting(
    "enable_compilation_cache",
    True,
    parse=yes_or_no,
    keyed=False,
    help="Compiled programs are kept on disk, for other processes. `TREADLE_CACHE=0` is the same as off.",
)
COMPILATION_CACHE_DIR: Final = Setting(
    "compilation_cache_dir",
    None,
    parse=path_or_none,
    keyed=False,
    help="The folder of compiled programs; else the one of `TREADLE_CACHE_DIR`, else the user's cache folder.",
)
COMPILATION_CACHE_MAX_SIZE: Final = Setting(
    "compilation_cache_max_size",
    NO_CACHE_LIMIT,
    parse=whole_number(least=-1),
    keyed=False,
    help="The bytes that compiled programs may take on disk; -1 leaves it to `TREADLE_CACHE_SIZE` (2 GB unless set).",
)
MIN_COMPILE_TIME: Final = Setting(
    "persistent_cache_min_compile_time_secs",
    0.0,
    parse=seconds,
    keyed=False,
    help="Programs that take less time to compile are not kept on disk; 0 keeps all.",
)
MIN_ENTRY_SIZE: Final = Setting(
    "persistent_cache_min_entry_size_bytes",
    0,
    parse=whole_number(least=-1),
    keyed=False,
    help="Compiled programs that are smaller are not kept on disk; -1 and 0 keep all.",
)
RAISE_CACHE_ERRORS: Final = Setting(
    "raise_persistent_cache_errors",
    False,
    parse=yes_or_no,
    keyed=False,
    help="A folder of compiled programs that cannot be used is an error; else a warning, and programs are compiled.",
)
DISABLE_MOST_OPTIMIZATIONS: Final = Setting(
    "disable_most_optimizations",
    False,
    parse=yes_or_no,
    help="XLA compiles as quickly as it can, and programs run slowly.",
)
OPTIMIZATION_LEVEL: Final = Setting(
    "optimization_level",
    "UNKNOWN",
    parse=one_of("UNKNOWN", "O0", "O1", "O2", "O3"),
    help="XLA's effort: O0 compiles quickest, O1 takes the middle way, O2 and O3 make programs run quickest; UNKNOWN "
    "lets treadle choose by the size of the program.",
)
MEMORY_FITTING_LEVEL: Final = Setting(
    "memory_fitting_level",
    "UNKNOWN",
    parse=one_of("UNKNOWN", "O0", "O1", "O2", "O3"),
    help="XLA's effort to make a program fit into memory, where the platform's compiler has one (the CPU's does "
    "not). UNKNOWN leaves it to the platform.",
)
DUMP_IR_TO: Final = Setting(
    "dump_ir_to",
    None,
    parse=path_or_none,
    keyed=False,
    help="A folder: each program that is lowered is written there, in a file of its own.",
)
DUMP_IR_MODES: Final[Setting[tuple[str, ...]]] = Setting(
    "dump_ir_modes",
    ("stablehlo",),
    parse=words_among("stablehlo", "jaxpr"),
    keyed=False,
    help="What `dump_ir_to` writes: `stablehlo`, the compiler's text; `jaxpr`, treadle's own.",
)
DEBUG_INFO_IN_DUMPS: Final = Setting(
    "include_debug_info_in_dumps",
    True,
    parse=yes_or_no,
    keyed=False,
    help="What `dump_ir_to` writes says for each operation where it is in the user's code.",
)
USE_SHARDY_PARTITIONER: Final = Setting(
    "use_shardy_partitioner",
    True,
    parse=yes_or_no,
    keyed=False,
    help="No effect: a program that is split over devices is always split by Shardy; the results are the same.",
)
