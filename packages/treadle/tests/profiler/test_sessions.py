from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import treadle
import treadle.numpy as tnp
from treadle import profiler
from treadle.errors import ArgumentError, UnsupportedError


def quick() -> Any:
    """Options under which Python's own calls are left out: traces are small."""
    options = profiler.ProfileOptions()
    options.python_tracer_level = 0
    return options


def names(data: profiler.ProfileData) -> set[str]:
    return {event.name for plane in data.planes for line in plane.lines for event in line.events}


def test_a_trace_is_written_for_the_standard_viewers(tmp_path: Path) -> None:
    with (
        profiler.trace(tmp_path, create_perfetto_trace=True, profiler_options=quick()) as session,
        profiler.TraceAnnotation("my mark", batch=3),
    ):
        treadle.jit(tnp.sin)(tnp.ones(4)).block_until_ready()
    assert "my mark" in names(session.profile_data)
    (run,) = (tmp_path / "plugins" / "profile").iterdir()
    (written,) = run.glob("*.xplane.pb")
    assert "my mark" in names(profiler.ProfileData.from_file(str(written)))
    events = json.loads(gzip.decompress((run / "perfetto_trace.json.gz").read_bytes()))[
        "traceEvents"
    ]
    assert any(event.get("name", "").startswith("my mark") for event in events)


def test_start_and_stop(tmp_path: Path) -> None:
    profiler.start_trace(tmp_path, profiler_options=quick())
    with pytest.raises(ArgumentError, match="takes one trace at a time"):
        profiler.start_trace(tmp_path)
    with profiler.StepTraceAnnotation("train", step_num=7):
        pass
    data = profiler.stop_trace()
    assert "train" in names(data)
    with pytest.raises(ArgumentError, match="no trace was started"):
        profiler.stop_trace()


def test_a_session_without_a_folder_keeps_what_it_measured(tmp_path: Path) -> None:
    session = profiler.ProfileSession(profiler_options=quick())
    assert session.profile_data is None
    with pytest.raises(ArgumentError, match="does not run"):
        session.stop()
    with pytest.raises(ArgumentError, match="has not been stopped"):
        profiler.export_profile_data(session, tmp_path)
    session.start()
    assert names(session.stop()) is not None
    profiler.export_profile_data(session, tmp_path, session_id="first")
    assert [*(tmp_path / "plugins" / "profile" / "first").glob("*.xplane.pb")]


def test_arguments_are_checked(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="log_dir must be a path"):
        profiler.start_trace(3)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError, match="perfetto"):
        profiler.start_trace(tmp_path, create_perfetto_link=True)
    with pytest.raises(ArgumentError, match="a `ProfileSession`"):
        profiler.export_profile_data(None, tmp_path)  # type: ignore[arg-type]


def _named(session: Any) -> list[str]:
    return [
        event.name
        for plane in session.profile_data.planes
        for line in plane.lines
        for event in line.events
    ]


def test_calls_of_python_functions_are_measured_where_they_are_asked_for() -> None:
    step = treadle.jit(lambda x: tnp.sin(x @ x).sum())
    x = tnp.ones((100, 100))
    step(x)

    def measured(**options: Any) -> list[str]:
        with profiler.ProfileSession(**options) as session:
            for i in range(3):
                with treadle.profiler.TraceAnnotation("of the user"):
                    step(x + i).block_until_ready()
        return _named(session)

    names = measured()
    assert names.count("of the user") == 3
    assert not [name for name in names if name.startswith("$")]  # how jaxlib writes them
    asked = treadle.profiler.ProfileOptions()
    asked.python_tracer_level = 1
    assert [name for name in measured(profiler_options=asked) if name.startswith("$")]
