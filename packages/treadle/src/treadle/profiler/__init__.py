"""Where the time and the memory go: traces for TensorBoard and Perfetto, marks in them, memory profiles for pprof.

    with treadle.profiler.trace("/tmp/profile"):
        train_step(x).block_until_ready()

writes `plugins/profile/<time>/<host>.xplane.pb`, which TensorBoard's profile plugin and XProf read, and next to it
`<host>.trace.json.gz`, which https://ui.perfetto.dev and chrome://tracing open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors import lazy_names as _lazy_names

if TYPE_CHECKING:
    from treadle.profiler.annotations import (
        StepTraceAnnotation as StepTraceAnnotation,
        TraceAnnotation as TraceAnnotation,
        annotate_function as annotate_function,
    )
    from treadle.profiler.memory import (
        device_memory_profile as device_memory_profile,
        save_device_memory_profile as save_device_memory_profile,
    )
    from treadle.profiler.reading import (
        ProfileData as ProfileData,
        ProfileEvent as ProfileEvent,
        ProfileLine as ProfileLine,
        ProfilePlane as ProfilePlane,
    )
    from treadle.profiler.server import (
        register_subprocess as register_subprocess,
        start_server as start_server,
        stop_server as stop_server,
    )
    from treadle.profiler.sessions import (
        ProfileOptions as ProfileOptions,
        ProfileSession as ProfileSession,
        export_profile_data as export_profile_data,
        start_trace as start_trace,
        stop_trace as stop_trace,
        trace as trace,
    )

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle.profiler.annotations": "StepTraceAnnotation TraceAnnotation annotate_function",
            "treadle.profiler.memory": "device_memory_profile save_device_memory_profile",
            "treadle.profiler.reading": "ProfileData ProfileEvent ProfileLine ProfilePlane",
            "treadle.profiler.server": "register_subprocess start_server stop_server",
            "treadle.profiler.sessions": (
                "ProfileOptions ProfileSession export_profile_data start_trace stop_trace trace"
            ),
        },
    )
