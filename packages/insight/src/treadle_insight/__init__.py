"""treadle-insight: explanations of programs and of runs - `explain`, `watch`, advice, the doctor."""

from __future__ import annotations

from treadle_insight._version import __version__ as __version__
from treadle_insight.explaining import explain as explain, report_on as report_on
from treadle_insight.finding import Cost as Cost, Finding as Finding
from treadle_insight.kinds import Kind as Kind, findings as findings
from treadle_insight.place import Place as Place
from treadle_insight.report import Report as Report, Table as Table
from treadle_insight.subject import Subject as Subject
from treadle_insight.unrolled import UnrolledLoop as UnrolledLoop, loops_of as loops_of
from treadle_insight.watching import watch as watch
from treadle_ir.errors import source as _source

_source.internal(__path__[0])
