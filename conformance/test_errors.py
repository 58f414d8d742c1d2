"""One set of error classes: users find each in `treadle.errors`, see it under that name, and can read about it."""

from __future__ import annotations

import importlib
import pickle
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import treadle_autodiff
import treadle_batching
import treadle_compiler
import treadle_ir
import treadle_numpy
import treadle_runtime
from treadle import errors

pytestmark = pytest.mark.programs

PACKAGES = (
    treadle_ir,
    treadle_autodiff,
    treadle_batching,
    treadle_compiler,
    treadle_runtime,
    treadle_numpy,
)
PAGE = Path(__file__).parent.parent / "docs/errors.md"


def defined() -> Iterator[type[BaseException]]:
    """Every exception and warning class that a module of treadle's defines."""
    seen = set()
    for package in PACKAGES:
        names = [
            each.name for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        ]
        for module in map(importlib.import_module, [package.__name__, *names]):
            for each in vars(module).values():
                if not (isinstance(each, type) and issubclass(each, BaseException)) or each in seen:
                    continue
                # Names with an underscore are signals within a module, which no user meets.
                ours = each.__module__.partition(".")[0].startswith("treadle")
                if ours and not each.__name__.startswith("_"):
                    seen.add(each)
                    yield each


CLASSES = sorted(defined(), key=lambda each: each.__name__)


def test_there_is_something_to_check() -> None:
    assert {errors.TreadleError, errors.ShapeError, errors.OutOfMemoryError} <= {*CLASSES}
    assert len({each.__name__ for each in CLASSES}) == len(CLASSES)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_class_is_public_and_documented(cls: type[BaseException]) -> None:
    assert issubclass(cls, (errors.TreadleError, Warning))
    assert getattr(errors, cls.__name__, None) is cls
    if issubclass(cls, errors.TreadleError):  # a warning is shown without its module
        assert cls.__module__ == "treadle.errors"
    page = PAGE.read_text()
    assert f"\n## {cls.__name__}\n" in page or f"\n| `{cls.__name__}` |" in page
    assert (cls.__doc__ or "").strip()


@pytest.mark.parametrize(
    "cls",
    [each for each in CLASSES if issubclass(each, errors.TreadleError)],
    ids=lambda c: c.__name__,
)
def test_an_error_survives_pickling_with_its_notes(cls: type[errors.TreadleError]) -> None:
    error = cls("what happened", fix="do this", where="train.py:1")
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is cls
    assert str(back) == "what happened"
    assert back.__notes__ == ["  at train.py:1", "  fix: do this"]


def test_no_class_names_a_base_that_another_base_has() -> None:
    redundant = [
        cls.__name__
        for cls in CLASSES
        for base in cls.__bases__
        if any(other is not base and issubclass(other, base) for other in cls.__bases__)
    ]
    assert redundant == []


def test_a_traceback_shows_the_public_name() -> None:
    program = "import treadle.numpy as tnp\ntnp.ones(3) + tnp.ones(4)\n"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60
    )
    assert "\ntreadle.errors.ShapeError: add got incompatible shapes" in done.stderr


@pytest.mark.parametrize(
    ("cls", "builtins"),
    [
        (errors.ShapeError, (TypeError, ValueError)),
        (errors.DTypeError, (TypeError, ValueError)),
        (errors.ArgumentError, (TypeError, ValueError)),
        (errors.DerivativeError, (TypeError, ValueError)),
        (errors.TreeError, (TypeError, ValueError)),
        (errors.StructureError, (TypeError, ValueError)),
        (errors.AxisError, (IndexError, ValueError)),
        (errors.IndexingError, (IndexError, TypeError)),
        (errors.UnsupportedError, (NotImplementedError,)),
        (errors.MissingRuleError, (NotImplementedError,)),
        (errors.AxisNameError, (NameError,)),
        (errors.RangeError, (OverflowError,)),
        (errors.NestingError, (RecursionError,)),
        (errors.OutOfMemoryError, (MemoryError,)),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_a_class_is_the_builtin_that_users_catch(
    cls: type[Exception], builtins: tuple[type[Exception], ...]
) -> None:
    assert all(issubclass(cls, each) for each in builtins)
