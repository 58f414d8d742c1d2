"""Check that prose and names use standard English and the field's terms, as docs/glossary.md maps them.

Prose is what comments, docstrings, string literals and Markdown pages say, without the code in them; names are what a
file defines, and its own name. Each has its rules below, with what to write instead.

    python scripts/words.py                       check all files
    python scripts/words.py packages/ir/src       print every finding in these files and folders
    python scripts/words.py --count               count findings by rule and folder
"""

from __future__ import annotations

import argparse
import ast
import collections
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# These quote the words that they discourage; generated pages are as good as the scripts that write them.
SKIPPED = frozenset({"docs/glossary.md", "scripts/words.py", "conformance/test_words.py"})

DETERMINER = r"(?:an?|the|these|those|this|that|its|their|any|one|all|as|such)"
LAID = r"(?:lies?|lay|laid)"

# The name of each rule of prose, the words that it finds, and what to write instead.
PROSE = {
    "is no": (
        r"(?<!there\s)\b(?:is|are|was|were|be) no (?!longer\b|more\b|less\b|different\b|other\b|worse\b|better\b"
        r"|larger\b|smaller\b|slower\b|faster\b|later\b|earlier\b|one\b)\w+",
        "is not a",
    ),
    "has not": (
        rf"\b(?:has|have|had) not(?=\s*[.,;:)\]]|\s*$| {DETERMINER}\b)",
        "does not have, lacks",
    ),
    "that of": (
        r"\b(?:that|those) of\b(?! course)",
        "repeat the noun: the type of",
    ),
    "what is there": (
        r"\bwhat (?:is|was) (?:there|said|asked|given)\b|\bas (?:it|they) says?\b",
        "name the thing: the existing entry",
    ),
    "one that": (
        r"\bones? (?:that|which|who)\b",
        "repeat the noun: a program that",
    ),
    "lies": (
        rf"\b{LAID} (?:over|along|like|as|alike|anew|differently|whole|side by side|together|across|on)\b"
        rf"|\bhow [^.;:]{{0,60}}\b{LAID}\b|\blaid out\b(?! in memory)|\b(?:they|it|that) {LAID}\b",
        "is sharded, is stored; how x is sharded",
    ),
    "whole": (
        r"\b(?:is|are|be|been|stays?|has|have|holds?|kept|them|it|of what is|as) whole\b|\bwhole (?:over|along|on)\b",
        "replicated, unsharded, complete",
    ),
    "beside": (r"\bbeside\b", "with, next to, compared with, in addition to"),
    "anew": (r"\banew\b", "again, new"),
    "in place of": (r"\bin place of\b", "instead of"),
    "way": (
        r"\b(?:fast|slow|general|usual|long|short|quick) way\b"
        r"|\b(?:go|goes|going|went|gone) (?:the|all|its|this|that) (?:\w+ )?ways?\b|\boff the way\b",
        "fast path, slow path; falls back to the slow path",
    ),
    "hands on": (r"(?<!by\s)\bhand(?:s|ed|ing)? on\b", "forwards, passes on"),
    "walked back": (r"\bwalk(?:s|ed|ing)? back\b", "transposed, traversed in reverse"),
    "taken apart": (
        r"\btak(?:e|es|en|ing) (?:\w+ )?apart\b|\btook (?:\w+ )?apart\b",
        "flatten, unpack, decompose",
    ),
    "put together": (r"\bput(?:s|ting)? together\b", "assemble, combine"),
    "let go": (r"\blet(?:s|ting)? go\b", "release, clear"),
    "said": (
        r"\b(?:is|are|was|were|be|been|being|has|have) (?:not )?said\b|\bsays? (?:nothing|so)\b|\bsaid so\b",
        "is specified, is given, is reported",
    ),
    "told": (r"\b(?:is|are|was|were|be|been|being) (?:not )?told\b", "receives, is notified"),
    "nobody": (r"\bnobody\b|\bwhoever\b|\bfor those who\b", "no code, nothing; if you, users who"),
    "comes of": (
        r"\bc[oa]mes? of\b|\bknows? (?:nothing )?of\b",
        "results from, is caused by; does not depend on",
    ),
    "another than": (
        r"\b(?:another|other) (?!than\b)\w+(?: \w+)? than\b",
        "a different ... from",
    ),
    "without a word": (r"\bwithout a word\b|\blast words\b", "unexpectedly; termination message"),
    "travels": (r"\bprograms? that travels?\b", "portable (serialised) program"),
    "surprises": (
        r"\bwhat surprises\b|\bbehaviours that surprise\b",
        "common surprises, surprising behaviours",
    ),
}

# How docstrings of functions may not open: with a clause that describes the result, in place of a verb.
OPENING = re.compile(
    r"(?:What|Which|Where|How|Who|Whose|Whether|Those|That|In which|Of which|Over which|With which|From which|At which"
    r"|To which|As it|As they|By what|All that|Everything that)\b"
)
OPENINGS = ("docstring opens with a clause", "an imperative: Return whether, Return the")

# Discouraged parts of names, between underscores or capitals, and whole names; what to call the thing instead.
PARTS = {
    "lies": "sharding",
    "lie": "sharding",
    "laid": "sharded",
    "anew": "again, new",
    "beside": "with",
    "nobody": "unused, unaliased",
    "strewn": "interleaved",
    "strews": "interleaves",
    "truths": "masks",
    "quieten": "suppress_fp_warnings",
}
NAMES = {
    "allowed_off_the_way": "may_be_speculated",
    "hands_on": "accepts_tracers_of",
    "walked_back": "apply_transpose",
    "left_to_the_compiler": "auto_axes",
    "says_nothing": "is_unspecified",
    "NOTHING_SAID": "UNSPECIFIED",
    "AskedFor": "RequestedShardings",
    "asked_for": "parse_shardings",
    "works_in": "compute_placement",
    "is_whole": "is_fully_replicated",
    "Whole": "Replicated, Unmapped",
    "weak_again": "as_weak_like",
    "forgetting": "cache_clearing",
    "last_words": "termination_message",
    "look_at_the_clock": "check_timeouts",
    "is_truth": "is_mask",
    "Meeting": "Coordinator",
    "straight_line": "codegen",
    "without_nan": "nan_functions",
}


@dataclass(frozen=True)
class Finding:
    """A discouraged word: its line, the rule that found it, the words, and what to write instead."""

    line: int
    rule: str
    words: str
    instead: str


def compiled(rules: dict[str, tuple[str, str]]) -> re.Pattern[str]:
    """Return one pattern of all rules, a group for each, in which a space matches any white space."""
    groups = (
        f"(?P<r{n}>{pattern})".replace(" ", r"\s+") for n, (pattern, _) in enumerate(rules.values())
    )
    return re.compile("|".join(groups), re.IGNORECASE | re.MULTILINE)


PATTERN = compiled(PROSE)
# A string or a comment of a Python file.
TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""|'
    r"'''(?:\\.|[^\\])*?'''|"
    r'"(?:\\.|[^"\\\n])*"|'
    r"'(?:\\.|[^'\\\n])*'|#[^\n]*",
    re.DOTALL,
)
RULES = [(rule, instead) for rule, (_, instead) in PROSE.items()]


def blanked(pattern: str, text: str, keep: str = "") -> str:
    """Return `text` with every match of `pattern` replaced by `keep` and the match's line ends."""
    return re.sub(pattern, lambda found: keep + "\n" * found[0].count("\n"), text, flags=re.M)


def without_code(text: str) -> str:
    """Return the prose of `text`: without doctests and their results, links' addresses and quoted code."""
    if ">>>" in text:
        text = blanked(r"^[ \t]*>>> (?:.*\n)(?:[ \t]*\S.*(?:\n|\Z))*", text)
    if "`" in text:
        text = blanked(r"``.+?``|`[^`]*`", text, keep="§")
    return text


def findings(prose: str, line: int) -> Iterator[Finding]:
    """Yield what the rules of prose find in `prose`, which starts at `line` of its file."""
    for found in PATTERN.finditer(prose):
        rule, instead = RULES[int((found.lastgroup or "r0")[1:])]
        at = line + prose.count("\n", 0, found.start())
        yield Finding(at, rule, " ".join(found[0].split()), instead)


def comments(text: str) -> Iterator[tuple[int, str]]:
    """Yield each run of comments on neighbouring lines of a Python file: its first line, and the text."""
    run: list[str] = []
    first = last = line = at = 0
    for found in TOKEN.finditer(text):
        if found[0][0] != "#":
            continue
        line += text.count("\n", at, found.start())
        at = found.start()
        if run and line != last + 1:
            yield first + 1, "\n".join(run)
            run = []
        first = first if run else line
        last = line
        run.append(found[0].lstrip("#:! "))
    if run:
        yield first + 1, "\n".join(run)


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a syntax tree."""
    stack = [tree]
    while stack:
        node = stack.pop()
        yield node
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                stack += [each for each in value if isinstance(each, ast.AST)]
            elif isinstance(value, ast.AST):
                stack.append(value)


def is_property(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether `function` is a property, whose docstring names a thing."""
    return any("property" in ast.unparse(each) for each in function.decorator_list)


def split_name(name: str) -> list[str]:
    """Return the words of a name: `["is", "laid"]` of `_is_laid`, and of `IsLaid`."""
    return re.findall(r"[a-z0-9]+|[A-Z]+[a-z0-9]*", name)


def name_findings(name: str, line: int) -> Iterator[Finding]:
    """Yield what the rules of names find in `name`, which is defined at `line`."""
    bare = name.strip("_")
    if bare in NAMES:
        yield Finding(line, "name", name, NAMES[bare])
    else:
        for word in split_name(bare):
            if word.lower() in PARTS:
                yield Finding(line, "name", name, PARTS[word.lower()])


def defined(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node of a syntax tree defines."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
            yield name
        case ast.Attribute(attr=name, ctx=ast.Store()):
            yield name


def python_findings(text: str) -> Iterator[Finding]:
    """Yield what all rules find in the text of a Python file."""
    for line, comment in comments(text):
        yield from findings(without_code(comment), line)
    tree = ast.parse(text)
    parts: set[int] = set()  # of formatted strings, which are read as one text
    for node in nodes(tree):
        match node:
            case ast.Constant(value=str(value), lineno=line) if " " in value:
                if id(node) not in parts:
                    yield from findings(without_code(value), line)
            case ast.JoinedStr(values=values, lineno=line):
                parts.update(map(id, values))
                spoken = "".join(
                    str(v.value) if isinstance(v, ast.Constant) else "§" for v in values
                )
                yield from findings(without_code(spoken), line)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                docstring = ast.get_docstring(node, clean=False)
                opening = docstring and OPENING.match(docstring)
                if opening and not is_property(node):
                    rule, instead = OPENINGS
                    yield Finding(node.body[0].lineno, rule, opening[0], instead)
        for name in defined(node):
            yield from name_findings(name, getattr(node, "lineno", 1))


def markdown_findings(text: str) -> Iterator[Finding]:
    """Yield what the rules of prose find in the text of a page, outside of its code."""
    text = blanked(r"^ *```[^\n]*\n(?:.*\n)*? *```", text)
    text = blanked(r"\]\([^)\s]*\)", text, keep="]")
    yield from findings(without_code(text), 1)


def file_findings(path: str) -> list[Finding]:
    """Return the findings in the file `path`, relative to the repository's root, in the order of lines."""
    file = ROOT / path
    text = file.read_text()
    found = [
        *name_findings(file.stem, 1),
        *(python_findings(text) if file.suffix in (".py", ".pyi") else markdown_findings(text)),
    ]
    return sorted(found, key=lambda each: each.line)


def files() -> list[str]:
    """Return the paths of the repository's Python files and pages, changelogs and decisions excepted."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "*.py", "*.pyi", "*.md"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [
        path
        for path in sorted({*listed.splitlines()})
        if path not in SKIPPED
        and "changelog.d/" not in path
        and not path.endswith("CHANGELOG.md")
        and (ROOT / path).exists()
    ]


def is_within(path: str, places: Iterable[str]) -> bool:
    """Return whether `path` is one of the files `places`, or is in one of the folders among them."""
    return any(
        path == place or path.startswith(place.rstrip("/") + "/") or place in ("", ".")
        for place in places
    )


def report(paths: Iterable[str]) -> int:
    """Print each finding in `paths`, and return how many there are."""
    count = 0
    for path in paths:
        for each in file_findings(path):
            count += 1
            print(f"{path}:{each.line}: {each.rule}: {each.words!r}; write: {each.instead}")
    return count


def folder_of(path: str) -> str:
    """Return the folder under which `path` is counted: `packages/ir/src`, `docs`."""
    parts = path.split("/")
    depth = 3 if parts[0] == "packages" else 1
    return "/".join(parts[:depth]) if len(parts) > 1 else "."


def print_counts(paths: Iterable[str]) -> None:
    """Print how many findings there are in `paths`, by folder and by rule."""
    by_folder: collections.Counter[str] = collections.Counter()
    by_rule: collections.Counter[str] = collections.Counter()
    for path in paths:
        for each in file_findings(path):
            by_folder[folder_of(path)] += 1
            by_rule[each.rule] += 1
    for title, counter in (("folder", by_folder), ("rule", by_rule)):
        print(f"{title}:")
        for name, count in counter.most_common():
            print(f"  {count:6} {name}")


def main(arguments: list[str] | None = None) -> int:
    """Check the files and folders that `arguments` name, or all of them, or count what is found there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "places", nargs="*", default=["."], help="files and folders, relative to the root"
    )
    parser.add_argument("--count", action="store_true", help="count by folder and by rule")
    options = parser.parse_args(arguments)
    paths = [path for path in files() if is_within(path, options.places or ["."])]
    if options.count:
        print_counts(paths)
        return 0
    count = report(paths)
    print(f"words: {count} findings in {len(paths)} files")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
