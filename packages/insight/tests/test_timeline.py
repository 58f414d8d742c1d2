"""Timelines: spans of a watched program, and the trace events that are made of them."""

from __future__ import annotations

import json
import threading
from typing import Any

import numpy as np
import pytest

from treadle_insight import timeline as timelines, watch
from treadle_insight.timeline import Timeline
from treadle_insight.views.perfetto import timeline_json
from treadle_ir import ArrayType, ops
from treadle_ir.events import (
    CallbackRun,
    ElementsTransferred,
    ExecutableFound,
    MemoryDonated,
    ProgramCompiled,
    ProgramLowered,
)
from treadle_runtime import jit

F32 = ArrayType((2,), np.dtype(np.float32))
EVENTS = [
    ProgramLowered("step", "cpu", 120, 0.25),
    ProgramCompiled("step", "cpu", 0.5),
    ExecutableFound("step", "cpu", True, 0.01),
    ElementsTransferred(F32, "host", "cpu:0"),
    MemoryDonated("step", F32),
    CallbackRun("log", 0.001),
]


def events_of(text: str) -> list[dict[str, Any]]:
    """Return the trace events, after a check of the fields that the format asks for."""
    content = json.loads(text)
    assert content["displayTimeUnit"] in {"ms", "ns"}
    events: list[dict[str, Any]] = content["traceEvents"]
    for event in events:
        assert isinstance(event["name"], str)
        assert isinstance(event["args"], dict)
        assert 0 <= event["pid"] < 1 << 32
        assert 0 <= event["tid"] < 1 << 32
        match event["ph"]:
            case "M":
                assert event["name"] in {"process_name", "thread_name"}
                assert isinstance(event["args"]["name"], str)
            case "X":
                assert event["ts"] >= 0
                assert event["dur"] >= 0
                assert event["cat"]
            case "i":
                assert event["ts"] >= 0
                assert event["s"] in {"t", "p", "g"}
                assert event["cat"]
            case phase:
                pytest.fail(f"phase {phase!r}")
    return events


def test_each_event_is_on_the_timeline() -> None:
    timeline = Timeline()
    for event in EVENTS:
        timeline.hear(event)
    events = [each for each in events_of(timeline_json(timeline)) if each["ph"] != "M"]
    assert {each["cat"]: each["name"] for each in events} == {
        "lowering": "lower step",
        "compile": "compile step",
        "cache": "find step",
        "transfer": "transfer from host",
        "donation": "donation to step",
        "callback": "callback log",
    }
    assert {each["cat"]: each["dur"] for each in events if each["ph"] == "X"} == {
        "lowering": 0.25e6,
        "compile": 0.5e6,
        "cache": 0.01e6,
        "callback": pytest.approx(1e3),
    }
    assert [each["ts"] for each in events] == sorted([each["ts"] for each in events])


def test_a_watched_program_has_its_steps_in_order() -> None:
    with watch() as seen:
        jit(lambda x: ops.log(x))(np.ones(2, np.float32)).block_until_ready()
    events = events_of(seen.perfetto())
    spans = {each["cat"]: each for each in events if each["ph"] == "X"}
    compiled = spans.get("compile") or spans["cache"]  # of an earlier run, from the disk
    staged, lowered = spans["staging"], spans["lowering"]
    assert staged["name"] == "stage <lambda>"
    assert staged["args"]["operations"] == 1
    assert (
        staged["ts"] + staged["dur"]
        <= lowered["ts"] + lowered["dur"]
        <= compiled["ts"] + compiled["dur"]
    )


def test_threads_have_their_names() -> None:
    timeline = Timeline()
    thread = threading.Thread(target=timeline.hear, args=[EVENTS[0]], name="worker")
    thread.start()
    thread.join()
    named = [each for each in events_of(timeline_json(timeline)) if each["name"] == "thread_name"]
    assert [each["args"]["name"] for each in named] == ["worker"]


def test_a_timeline_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timelines, "LIMIT", 2)
    timeline = Timeline()
    for event in EVENTS[:5]:
        timeline.hear(event)
    assert len(timeline.spans) == 2
    assert json.loads(timeline_json(timeline))["otherData"] == {"left_out": 3}
