"""`scripts/words.py` finds discouraged words in prose and in names, leaves code alone, and holds clean files clean."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent

# For each rule, what it finds and what it leaves.
SENTENCES = {
    "is no": ("This is no sharding.", "There is no sharding, and it is no longer one."),
    "has not": ("A mesh has not these axes.", "The mesh has not changed."),
    "that of": ("The type is that of `x`.", "It has the type of `x`."),
    "what is there": ("It replaces what is there.", "It replaces the old entry."),
    "one that": ("Use a trace, or one that is closed.", "Use one of the traces."),
    "lies": ("How the array lies over the mesh.", "Eigenvalues lie between 0 and 1."),
    "whole": ("The array is whole on each device.", "The whole array is copied."),
    "beside": ("A tangent beside its primal.", "Besides, it has a tangent."),
    "anew": ("It is compiled anew.", "It is compiled again."),
    "in place of": ("Zeros in place of them.", "It is updated in place."),
    "way": ("Leave the fast way.", "In this way it is fast."),
    "hands on": ("It hands on its operand.", "It has hands-on examples."),
    "walked back": ("The tape is walked back.", "The tape is walked."),
    "taken apart": ("The arguments are taken apart.", "They are kept apart."),
    "put together": ("Put together the results.", "Put the results together."),
    "let go": ("It lets go of the array.", "It lets users choose."),
    "said": ("It is not said which.", "He said which."),
    "told": ("The process is told of it.", "It told the process."),
    "nobody": ("Whoever needs it.", "If you need it."),
    "comes of": ("NaN comes of it.", "NaN comes out."),
    "another than": ("It has another type than `x`.", "It differs other than in type."),
    "without a word": ("It ended without a word.", "It ended without words."),
    "travels": ("A program that travels.", "A program that runs."),
    "surprises": ("This page shows what surprises.", "A surprise."),
}


@pytest.fixture(name="script")
def _script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("words", ROOT / "scripts/words.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "words", module)  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(name="tree")
def _tree(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with two folders, instead of this one."""
    for name in ("clean", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "page.md").write_text("A page.\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    monkeypatch.setattr(script, "ROOT", tmp_path)
    return tmp_path


def rules(findings: list[Any]) -> list[str]:
    return [each.rule for each in findings]


def test_every_rule_finds_its_construction_and_leaves_correct_english(script):
    assert SENTENCES.keys() == script.PROSE.keys()
    for rule, (found, left) in SENTENCES.items():
        assert rules([*script.findings(found, 1)]) == [rule], found
        assert not [*script.findings(left, 1)], left


def test_words_are_found_across_lines_and_at_their_line(script):
    text = "x = 1\n\n# The type is that\n# of its operand.\ny = 2\n\n\n# Said\n# anew.\n"
    found = [*script.python_findings(text)]
    assert [(each.line, each.rule) for each in found] == [(3, "that of"), (9, "anew")]


def test_comments_are_distinguished_from_strings(script):
    text = 'x = "# not a comment: anew"; y = \'\\\'#\'\nz = """\n# anew\n"""  # beside\n'
    found = script.python_findings(text)
    assert sorted((each.line, each.rule) for each in found) == [
        (1, "anew"),
        (3, "anew"),
        (4, "beside"),
    ]


def test_concatenated_strings_are_read_as_one_text(script):
    text = 'raise ValueError(f"the operand {x} is "\n    "no array")\n'
    assert rules([*script.python_findings(text)]) == ["is no"]


def test_code_is_left_alone(script):
    page = "Text.\n\n```python\nprint('laid over it anew')\n```\n\nSee `anew`, [it](anew.md).\n"
    assert not [*script.markdown_findings(page)]
    docstring = '"""Return it.\n\n    >>> f("beside it")\n    anew\n"""\n'
    assert not [*script.python_findings(docstring)]
    assert rules([*script.markdown_findings(page + "It is made anew.\n")]) == ["anew"]


def test_functions_open_with_an_imperative(script):
    text = (
        'class A:\n    """What a class is."""\n\n    @property\n    def x(self):\n'
        '        """How large it is."""\n\n    def f(self):\n        """Whether it is large."""\n'
    )
    (found,) = script.python_findings(text)
    assert (found.line, found.words) == (9, "Whether")


def test_names_are_found_where_they_are_defined(script):
    text = (
        "def laid_alike(x):\n    lies = x.lies\n    return other.laid(lies)\n\nclass Whole: ...\n"
    )
    found = [*script.python_findings(text)]
    assert sorted((each.line, each.words) for each in found) == [
        (1, "laid_alike"),
        (2, "lies"),
        (5, "Whole"),
    ]
    assert rules([*script.name_findings("waylaid", 1)]) == []


def test_all_files_are_checked(script, tree, capsys):
    assert script.main([]) == 0
    (tree / "clean/page.md").write_text("A page.\n\nIt is made anew.\n")
    assert script.main([]) == 1
    assert "clean/page.md:3: anew: 'anew'; write: again, new" in capsys.readouterr().out


def test_findings_of_a_folder_are_printed_and_counted(script, tree, capsys):
    (tree / "other/page.md").write_text("It is made anew, beside it.\n")
    assert script.main(["other"]) == 1
    assert "words: 2 findings" in capsys.readouterr().out
    assert script.main(["--count"]) == 0
    assert "2 other" in capsys.readouterr().out
