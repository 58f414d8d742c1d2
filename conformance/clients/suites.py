"""Run the libraries' own tests, from their source archives, on JAX and under the hook, and compare.

    python -m conformance.clients.suites                 every suite; fails where a test fails that is not known to
    python -m conformance.clients.suites optax chex      some of them
    python -m conformance.clients.suites --write         store what was found, and write it to docs/compatibility.md
    python -m conformance.clients.suites optax --write a/b_test.py
                                                         run a file alone, and put it into what is stored of its suite
    python -m conformance.clients.suites optax --write a/b_test.py jax.xml treadle.xml
                                                         the same, of two JUnit reports that were made before

`nox -s clients-suites` installs what this needs. The archives are fetched by pip, unpacked in a temporary folder and
only run. A test counts against treadle where it passes on JAX and not on treadle. Of files that take very long on JAX a
sample is run, the same tests on both sides: `Suite.sampled` names the files, and `sampled.py` chooses the tests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from conformance.clients import page, releases, sampled
from conformance.clients.messages import portable
from conformance.clients.suite_reasons import reasons

HERE: Final = Path(__file__).resolve().parent
STORED: Final = HERE / "stored/suites"
SECONDS: Final = 3000  # for a suite
EACH: Final = 180  # for a test

_LONG_NETS: Final = "mobilenetv1", "resnet", "vqvae"
_WITHOUT_FILES: Final = "checkpoint", "jax2tf"
_OF_BLACKJAX: Final = {  # by folder
    "": "api_protocols compilation util",
    "adaptation/": "mass_matrix step_size",
    "mcmc/": "barker elliptical_slice integrators latent_gaussian metrics proposal trajectory uturn",
    "optimizers/": "optimizers",
    "sgmcmc/": "diffusions gradients kernels",
    "smc/": "kernel_compatibility resampling smc smc_ess solver",
    "vi/": "multipathfinder schrodinger_follmer svgd",
}


class Suite(NamedTuple):
    """The tests of an archive: where they are, what the page says of those left out, and files that are sampled.

    Of a sampled file one test in so many is run, about.
    """

    paths: tuple[str, ...]
    options: tuple[str, ...] = ()
    without: str = ""
    sampled: Mapping[str, int] = MappingProxyType({})

    def of(self, paths: list[str]) -> Suite:
        """The suite of some files only."""
        whole = tuple([path for path in paths if path not in self.sampled])
        return Suite(whole, sampled={path: n for path, n in self.sampled.items() if path in paths})


SUITES: Final = {
    "chex": Suite(("chex",)),
    "optax": Suite(("optax",)),
    "dm-haiku": Suite(
        ("haiku",),
        (
            *[f"--ignore=haiku/_src/integration/{each}_test.py" for each in _WITHOUT_FILES],
            *[f"--ignore=haiku/_src/nets/{name}_test.py" for name in _LONG_NETS],
        ),
        "of `haiku/_src/integration` the formats of checkpoints, whose files the archive lacks, and jax2tf, which "
        "needs TensorFlow; the tests of the networks mobilenetv1, resnet and vqvae, which take long on JAX",
        sampled={"haiku/_src/integration/hk_transforms_test.py": 4},
    ),
    "distrax": Suite(("distrax",)),
    "flax": Suite(("tests",)),
    "blackjax": Suite(
        tuple(
            f"tests/{folder}test_{name}.py"
            for folder, names in _OF_BLACKJAX.items()
            for name in names.split()
        ),
        without="nested sampling, progress bars, several devices, diagnostics, benchmarks, and of `adaptation`, "
        "`mcmc`, `optimizers`, `smc` and `vi` the files that `suites.py` does not name, which take long",
    ),
    "numpyro": Suite(
        tuple(
            [
                f"test/test_{name}.py"
                for name in (
                    "compile",
                    "constraints",
                    "diagnostics",
                    "distributions_mixture",
                    "distributions_util",
                    "flows",
                    "gof",
                    "handlers",
                    "model_rendering",
                    "nn",
                    "optimizers",
                    "transforms",
                    "util",
                )
            ]
        ),
        sampled={"test/test_distributions.py": 150},
        without="pickles, which need funsor; examples, which the archive lacks, and their data, which are downloaded",
    ),
}


def archive(name: str, folder: Path) -> Path:
    """The folder of an unpacked source archive."""
    release = f"{name}=={releases.pinned()[name]}"
    fetch = ["download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", *fetch, release], check=True)
    [packed] = folder.glob("*.tar.gz")
    with tarfile.open(packed) as opened:
        opened.extractall(folder, filter="data")
    return folder / packed.name.removesuffix(".tar.gz")


def outcomes(report: Path) -> dict[str, tuple[str, str]]:
    """Each test of a JUnit report with how it ended, and the message of its failure."""
    found: dict[str, tuple[str, str]] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        test = f"{case.get('classname')}.{sampled.one_name(str(case.get('name')))}"
        ended, message = "passed", ""
        for child in case:
            if child.tag in ("failure", "error"):
                ended, message = "failed", " ".join((child.get("message") or "").split())
            elif child.tag == "skipped" and ended == "passed":
                ended = "skipped"
        if found.get(test, ("passed",))[0] != "failed":  # subtests have the name of their test
            found[test] = ended, message
    return found


def ran(suite: Suite, folder: Path, hook: bool) -> dict[str, tuple[str, str]]:
    """Run a suite."""
    report = folder.parent / f"{'treadle' if hook else 'jax'}.xml"
    command = [sys.executable, "-m", "pytest", *(["-p", "treadle_jax"] if hook else [])]
    command += ["-q", "--tb=no", "-p", "no:cacheprovider", "-W", "ignore", f"--timeout={EACH}"]
    command += ["-n", os.environ.get("SUITE_WORKERS", "2"), f"--junitxml={report}"]
    command += ["-p", sampled.__name__]
    command += [f"--sample={path}={number}" for path, number in suite.sampled.items()]
    sources = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(HERE.parents[1])])
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONPATH": sources}
    done = subprocess.run(
        [*command, *suite.options, *suite.paths, *suite.sampled],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    if not report.exists():
        raise SystemExit(f"pytest has not run:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return outcomes(report)


def both_ran(name: str, suite: Suite) -> list[dict[str, tuple[str, str]]]:
    """Run a suite on JAX and on treadle, in a copy of its archive."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = archive(name, Path(temporary))
        return [ran(suite, folder, hook) for hook in (False, True)]


def module(path: str) -> str:
    """Return the prefix of the names of a file's tests."""
    return path.removesuffix(".py").replace("/", ".") + "."


def compared(
    name: str,
    suite: Suite,
    jax: dict[str, tuple[str, str]],
    treadle: dict[str, tuple[str, str]],
) -> dict[str, Any]:
    """Return the outcome of a suite in the form in which it is stored."""
    passed = {test for test, (ended, _) in jax.items() if ended == "passed"}
    on_both = {test for test in passed if treadle.get(test, ("missing", ""))[0] == "passed"}
    only = {
        test: treadle.get(test, ("", "not collected: its file could not be imported"))
        for test in sorted(passed - on_both)
    }
    count = lambda found: dict(Counter(ended for ended, _ in found.values()).most_common())  # noqa: E731
    return {
        "made_by": "suites.py --write",
        "library": name,
        "version": releases.pinned()[name],
        "without": SUITES[name].without,
        "sampled": {
            path: {
                "each": number,
                "tests": len([test for test in jax if test.startswith(module(path))]),
            }
            for path, number in suite.sampled.items()
        },
        "jax": count(jax),
        "treadle": count(treadle),
        "both": len(on_both),
        "only_treadle": {test: portable(m)[:200] for test, (_, m) in only.items()},
    }


def joined(stored: dict[str, Any], paths: list[str], part: dict[str, Any]) -> dict[str, Any]:
    """Return the stored outcome of a suite, extended by the outcome of files that it was run without."""
    if stored["version"] != part["version"]:
        raise SystemExit(f"what is stored is of {stored['library']} {stored['version']}")
    total = {
        side: dict((Counter(stored[side]) + Counter(part[side])).most_common())
        for side in ("jax", "treadle")
    }
    return {
        **part,
        **total,
        "made_by": "; ".join(dict.fromkeys([*stored["made_by"].split("; "), part["made_by"]])),
        "sampled": {**stored.get("sampled", {}), **part["sampled"]},
        "both": stored["both"] + part["both"],
        "only_treadle": {**stored["only_treadle"], **part["only_treadle"]},
        "added": sorted([*stored.get("added", []), *paths]),
    }


def renewed(stored: dict[str, Any], paths: list[str], part: dict[str, Any]) -> dict[str, Any]:
    """Return the stored outcome of a suite with the files `paths` replaced; JAX's part is assumed unchanged."""
    for path, sample in part["sampled"].items():
        if stored.get("sampled", {}).get(path) != sample:
            raise SystemExit(f"what is stored is of another sample of {path}: run the suite whole")
    modules = tuple([module(path) for path in paths])
    others = {
        test: why for test, why in stored["only_treadle"].items() if not test.startswith(modules)
    }
    failing = {**others, **part["only_treadle"]}
    gained = len(stored["only_treadle"]) - len(failing)
    count = stored["treadle"]
    passed, failed = count["passed"] + gained, count["failed"] - gained
    return {
        **stored,
        "without": part["without"],
        "treadle": {**count, "passed": passed, "failed": failed},
        "both": stored["both"] + gained,
        "only_treadle": failing,
    }


def was_run(name: str, path: str, stored: dict[str, Any]) -> bool:
    """Return whether the stored outcome of a suite includes the file `path`."""
    suite = SUITES[name]
    left_out = any(path.startswith(each.removeprefix("--ignore=")) for each in suite.options)
    if path in stored.get("added", []) or path in stored.get("sampled", {}):
        return True
    return path not in suite.sampled and (path.startswith(suite.paths) and not left_out)


def main(arguments: list[str]) -> int:
    """Run the suites that `arguments` name."""
    given = [each for each in arguments if not each.startswith("-")]
    paths = [each for each in given if each.endswith(".py")]
    reports = [Path(each) for each in given if each.endswith(".xml")]
    names = [each for each in given if not each.endswith((".py", ".xml"))] or list(SUITES)
    if (paths or reports) and len(names) != 1:
        print("files belong to one suite: name it")
        return 2
    if len(reports) not in (0, 2):
        print("of reports there are two: JAX's, then treadle's")
        return 2
    unknown = [name for name in names if name not in SUITES]
    if unknown:
        print(f"no suite is called {', '.join(unknown)}; there are {', '.join(SUITES)}")
        return 2
    worse = False
    for name in names:
        if (message := releases.absent(name)) is not None:
            print(f"{name}: {message}")
            worse = True
            continue
        suite = SUITES[name].of(paths) if paths else SUITES[name]
        on_jax, on_treadle = [outcomes(each) for each in reports] or both_ran(name, suite)
        found = compared(name, suite, on_jax, on_treadle)
        if reports:
            found["made_by"] = "suites.py --write, of reports"
        path = STORED / f"{name}.json"
        stored = json.loads(path.read_text()) if path.exists() else None
        known = stored["only_treadle"] if stored else {}
        new = [test for test in found["only_treadle"] if test not in known]
        print(f"{name}: jax {found['jax']}, treadle {found['treadle']}, both {found['both']}")
        for each, count in reasons(found).items():
            print(f"  {count} fail on treadle only: {each}")
        if "--write" in arguments:
            STORED.mkdir(parents=True, exist_ok=True)
            if paths and stored:
                again = [each for each in paths if was_run(name, each, stored)]
                if again and again != paths:
                    raise SystemExit(
                        f"{', '.join(again)}: run before; others not: write them apart"
                    )
                found = (renewed if again else joined)(stored, paths, found)
            path.write_text(json.dumps(found, indent=1) + "\n")
            page.renew_suites()
        elif new:
            print("  not known to fail before:", *new, sep="\n    ")
            worse = True
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
