"""Process hygiene: locks over forks, imports that Ctrl-C cannot cut, deep nesting, frozen classes, releases."""

from __future__ import annotations

from treadle_ir.process.fork import (
    fork_safe_lock as fork_safe_lock,
    fork_safe_rlock as fork_safe_rlock,
)
from treadle_ir.process.frozen_classes import frozen as frozen
from treadle_ir.process.late_imports import importing as importing
from treadle_ir.process.nesting import deeper as deeper
from treadle_ir.process.releases import release_of as release_of, wrong_release as wrong_release
