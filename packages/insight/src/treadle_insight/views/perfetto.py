"""Timelines as trace events in JSON, which Perfetto (ui.perfetto.dev) and chrome://tracing show."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from treadle_insight.timeline import Span, Timeline

Object = dict[str, Any]  # Any: values of JSON


def timeline_json(timeline: Timeline, name: str = "treadle") -> str:
    """Return a timeline in the trace event format: complete events for what took time, instants for moments.

    Args:
        timeline: what happened.
        name: the name of the process.
    """
    process = timeline.process
    numbers = {
        thread: number for number, thread in enumerate(timeline.threads, 1)
    }  # viewers read 32 bits
    events = [_metadata("process_name", process, 0, name)]
    threads = [
        _metadata("thread_name", process, numbers[each], its_name)
        for each, its_name in timeline.threads.items()
    ]
    # By start, the longest first: a span comes before those within it.
    ordered = sorted(timeline.spans, key=lambda span: (span.start, -(span.seconds or 0.0)))
    content = {
        "traceEvents": [*events, *threads, *_spans(ordered, process, numbers)],
        "displayTimeUnit": "ms",
        "otherData": {"left_out": timeline.left_out},
    }
    return json.dumps(content)


def _metadata(kind: str, process: int, thread: int, name: str) -> Object:
    """Return the event that names a process or a thread."""
    return {"name": kind, "ph": "M", "pid": process, "tid": thread, "args": {"name": name}}


def _spans(spans: Iterable[Span], process: int, threads: Mapping[int, int]) -> Iterable[Object]:
    """Yield the events of spans. The format counts microseconds."""
    for span in spans:
        event: Object = {
            "name": span.name,
            "cat": span.category,
            "pid": process,
            "tid": threads[span.thread],
            "ts": span.start * 1e6,
            "args": dict(span.details),
        }
        if span.seconds is None:
            yield {**event, "ph": "i", "s": "t"}
        else:
            yield {**event, "ph": "X", "dur": span.seconds * 1e6}
