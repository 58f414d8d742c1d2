"""Every check of treadle, one session each. CI runs these and nothing else.

`nox` alone runs what `.ci/run` runs; `nox --list` shows the rest. Words after `--` go to pytest
or to the script that a session runs. Sessions that test something install wheels built from this
tree, never the tree itself: that catches what an editable install hides.
"""

import functools
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import nox

ROOT = Path(__file__).parent
DIST = ROOT / "dist"

# Folder of each distribution -> its name, in the order of the DAG: each after what it needs.
DISTRIBUTIONS = {
    "ir": "treadle-ir",
    "autodiff": "treadle-autodiff",
    "batching": "treadle-batching",
    "compiler": "treadle-compiler",
    "runtime": "treadle-runtime",
    "insight": "treadle-insight",
    "numpy-api": "treadle-numpy",
    "treadle": "treadle",
    "jax-compat": "treadle-jax",
}
FOLDERS = {name: folder for folder, name in DISTRIBUTIONS.items()}
PACKAGES = list(DISTRIBUTIONS)
EVERYTHING = ["jax-compat", "insight"]  # treadle-jax depends on treadle, and that on all the others

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
NEWEST = "3.13"  # has wheels of the newest jaxlib and of all libraries that clients asks for
CURRENT = ".".join(platform.python_version_tuple()[:2])
PYTEST = ["pytest>=8.4", "pytest-xdist>=3.6", "hypothesis>=6.113"]
SUITE = [*PYTEST, "scipy", "mpmath", "absl-py", "array-api-strict"]  # what conformance imports
EXAMPLES = ["rich", "scikit-learn", "matplotlib"]
# What the how-tos use; without one, its blocks are skipped. PyTorch is too large for a check of each change.
HOW_TOS = ["scikit-learn", "matplotlib", "pandas", "safetensors"]
# The releases of the libraries written for JAX that conformance/clients has jobs for.
CLIENTS = ROOT / "conformance/clients/requirements.txt"
# Jobs that take seconds; the others compile for a quarter of a minute to a minute each.
QUICK_CLIENTS = [
    *("optax", "chex", "jaxtyping", "equinox", "lineax", "distrax", "haiku", "flax", "flax_nnx"),
]
# Tests take from a millisecond to minutes: who has done its share takes from the other.
WORKERS = ["-n", "2", "--dist", "worksteal"]
# Prints which extensions of this processor NumPy uses.
FEATURES = 'import numpy; print(*numpy.show_config("dicts")["SIMD Extensions"].get("found", []))'
STEADY = ["-m", "not timing"]  # tests that compare wall-clock times have a session of their own
# Tests are not annotated; what they say about the types of what they test is still checked.
RELAXED = [
    "--allow-incomplete-defs",
    "--allow-untyped-calls",
    "--allow-untyped-decorators",
    "--allow-untyped-defs",
    "--no-check-untyped-defs",
    "--no-warn-return-any",
    "--no-warn-unused-ignores",  # in bodies that are not checked
]

nox.needs_version = ">=2025.5"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_venv = "yes"
nox.options.download_python = "never"  # a check runs on what the machine has
nox.options.error_on_missing_interpreters = False
# What reads, types, builds and documents keeps one core busy, and the suites wait for their processes at times.
# `scripts/run.py tests` runs the two lists at the same time, `nox` one after the other.
CHECKS = [
    *["lint", "imports", "types", "build", "alone", "docs", "primitives", "examples", "clients"],
    *["conformance-rehearsal", "conformance-gpu", "conformance-tpu", "parity"],
]
SUITES = [
    *[f"tests-{CURRENT}({package})" for package in PACKAGES],
    "conformance-brief",
    "oldest",
]
LISTS = {"": [*CHECKS, *SUITES], "checks": CHECKS, "suites": SUITES}
nox.options.sessions = LISTS[os.environ.get("NOX_SESSION_LIST", "")]
# `.ci/run` leaves out what a job of the workflows runs in full.
BRIEF = "NOX_SESSION_LIST" in os.environ

# pyenv's shims answer for every version it ever installed and then fail; the folders behind them
# go to the end of the path, where they are found when the shim has failed.
_pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
os.environ["PATH"] = os.pathsep.join([os.environ["PATH"], *map(str, _pyenv.glob("3.*/bin"))])

each_package = nox.parametrize("package", PACKAGES, ids=PACKAGES)


def needed(packages: list[str]) -> list[str]:
    """The folders of these distributions and of all siblings they declare, in DAG order."""
    found = set(packages)
    for folder in reversed(PACKAGES):
        if folder in found:
            project = tomllib.loads((ROOT / "packages" / folder / "pyproject.toml").read_text())
            names = [line.partition(">=")[0] for line in project["project"]["dependencies"]]
            found |= {FOLDERS[name] for name in names if name in FOLDERS}
    return [folder for folder in PACKAGES if folder in found]


@functools.cache  # once per run of nox, however many sessions want it
def built(folder: str) -> Path:
    """The wheel of one distribution, built from its sdist unless the sources are older."""
    source = ROOT / "packages" / folder
    pattern = f"{DISTRIBUTIONS[folder].replace('-', '_')}-*.whl"
    changed = max(
        path.stat().st_mtime
        for path in [source / "pyproject.toml", source / "README.md", *source.rglob("src/**/*")]
        if "__pycache__" not in path.parts
    )
    for wheel in DIST.glob(pattern):
        if wheel.stat().st_mtime > changed:
            return wheel
        wheel.unlink()
    # The interpreter that runs nox has hatchling (scripts/run.py sees to it): no isolation, so
    # the builds take seconds.
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(DIST), str(source)]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"{source} does not build:\n{result.stdout}")
    return next(DIST.glob(pattern))


def install(session: nox.Session, packages: list[str], *extra: str) -> None:
    """Install wheels of these distributions, their siblings' wheels, and what they declare."""
    wheels = [str(built(folder)) for folder in needed(packages)]
    # Wheels are named by path, so no index can offer another treadle. The second step replaces
    # wheels of the same version left by an earlier run.
    session.install(*wheels, *extra)
    session.install("--force-reinstall", "--no-deps", *wheels)


def pytest(
    session: nox.Session,
    *arguments: str,
    profile: str = "ci",
    **environment: str,
) -> None:
    """Run pytest on the installed wheels."""
    # The profile draws the same examples every time, and has no deadlines that a busy machine would
    # miss; `-- --hypothesis-profile=default` draws new ones.
    command = (
        "python",
        "-m",
        "pytest",
        f"--hypothesis-profile={profile}",
        *arguments,
        *session.posargs,
    )
    session.run(*command, env=environment)


@nox.session
def lint(session: nox.Session) -> None:
    """Ruff's rules and format, the workflows' safety, changelog fragments, lists of names and of cells."""
    session.install("ruff>=0.17,<0.18", "zizmor>=1.32,<2", "codespell[toml]>=2.4,<3")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("zizmor", "--pedantic", "--offline", ".github")
    session.run("python", "scripts/fragments.py")
    session.run("python", "scripts/names.py", "--check")
    session.run("python", "scripts/stubs.py", "--check")
    session.run("python", "scripts/cells.py")
    session.run("python", "scripts/siblings.py")
    session.run("python", "scripts/projects.py")
    session.run("python", "scripts/deprecations.py")
    session.run("python", "scripts/words.py")
    session.run("codespell")


@nox.session
def imports(session: nox.Session) -> None:
    """The DAG of distributions, and imports across borders from the top level only."""
    session.install("import-linter>=2.16")
    sources = [str(ROOT / "packages" / folder / "src") for folder in PACKAGES]
    session.run("lint-imports", env={"PYTHONPATH": os.pathsep.join(sources)})
    session.run("python", "scripts/borders.py")


@nox.session
def types(session: nox.Session) -> None:
    """Mypy, strict, over sources and scripts; over tests and the like where annotated; users' files, by pyright too."""
    session.install("-r", "requirements-dev.txt")
    # treadle_ir by itself: elsewhere arrays have the operators and methods that treadle_numpy's stubs declare.
    session.run("mypy", "packages/ir/src")
    session.run("mypy", *(f"packages/{folder}/src" for folder in PACKAGES if folder != "ir"))
    session.run("mypy", "--explicit-package-bases", "scripts", env={"MYPYPATH": "scripts"})
    session.run("mypy", "noxfile.py")
    session.run("mypy", "-p", "jax")  # the stubs of jax-compat, which are re-exports
    # What a user's file sees: by both checkers, which agree on every line.
    users = ("--explicit-package-bases", "typing_tests")
    session.run("mypy", *users, env={"MYPYPATH": "typing_tests"})
    session.run("pyright", "--project", "typing_tests")
    if BRIEF:  # With other flags mypy reads all sources once more: the workflow does.
        return
    # Files of different folders share names: one run each, named from their own folder.
    tests = [f"packages/{folder}/tests" for folder in PACKAGES]
    for folder in [
        *tests,
        "conformance",
        "benchmarks",
        "examples/quickstart",
        "examples/sharded_training",
    ]:
        # conformance is a package of its own; tests have folders named after modules, like numpy
        base = {"conformance": "."}.get(folder, folder.removesuffix("/tests"))
        session.run("mypy", "--explicit-package-bases", *RELAXED, folder, env={"MYPYPATH": base})


@nox.session
def wheels(session: nox.Session) -> None:
    """Build all wheels, so that sessions that run at the same time find them."""
    for folder in PACKAGES:
        session.log(built(folder).name)


@nox.session(python=PYTHONS)
@each_package
def tests(session: nox.Session, package: str) -> None:
    """One package's tests with only its wheel and what it declares: in the lowest versions on the oldest Python."""
    lowest = session.python == PYTHONS[0] and session.venv_backend == "uv"
    # As requirements of their own the declared ranges count as direct, and go to their floor.
    ranges = [f"-rpackages/{folder}/pyproject.toml" for folder in needed([package])]
    # `--no-sources`: the siblings are the wheels, not the folders that the workspace has for uv.
    lowest_ranges = ["--resolution", "lowest-direct", "--no-sources", *ranges]
    install(session, [package], *(lowest_ranges if lowest else []))
    # SciPy and mpmath know the truth. Before SciPy 1.17 the incomplete beta function of great parameters is off by
    # 1e-8; the runtime, which computes with SciPy, is tested with the SciPy that it declares.
    scipy = "scipy" if package == "runtime" else "scipy>=1.17"
    session.install(*PYTEST, "mpmath", scipy)
    # `.ci/run` leaves slow cases to the workflows, where others of their law remain.
    brief = ["-p", "conformance.brief"] if BRIEF else []
    pytest(session, f"packages/{package}/tests", *WORKERS, *STEADY, *brief)


def whole_suite(session: nox.Session, **environment: str) -> None:
    """Run the conformance suite on the CPU, and compare its counts with docs/laws.md."""
    environment["TREADLE_PLATFORMS"] = "cpu"
    # The suite is collected once: the run itself counts.
    counts = Path(session.create_tmp()) / "law_counts.json"
    counting = ["-p", "conformance.counting", f"--law-counts={counts}"]
    pytest(session, "conformance", *WORKERS, *STEADY, *counting, **environment)
    session.run("python", "scripts/law_counts.py", "--check", "docs/laws.md", str(counts))


@nox.session(python=PYTHONS)
def conformance(session: nox.Session) -> None:
    """The suite across packages, on the CPU, and its page of counts."""
    install(session, EVERYTHING, *SUITE)
    if session.posargs:  # a part of the suite
        pytest(session, "conformance", *WORKERS, *STEADY, TREADLE_PLATFORMS="cpu")
        return
    whole_suite(session)


@nox.session(name="conformance-brief")
def conformance_brief(session: nox.Session) -> None:
    """The suite across packages with fewer cases of its slowest laws, on the CPU, and its page of counts."""
    install(session, EVERYTHING, *SUITE)
    whole_suite(session, TREADLE_CONFORMANCE_BRIEF="1")


@nox.session(name="conformance-long")
def conformance_long(session: nox.Session) -> None:
    """The suite across packages with many more cases, newly drawn from a seed that is printed."""
    install(session, EVERYTHING, *SUITE)
    seed = os.environ.get("TREADLE_CONFORMANCE_SEED") or str(random.randrange(10**9))
    session.log(f"once more: TREADLE_CONFORMANCE_SEED={seed} nox -s conformance-long")
    pytest(
        session,
        "conformance",
        f"--hypothesis-seed={seed}",
        *WORKERS,
        *STEADY,
        profile="long",
        TREADLE_CONFORMANCE_LONG="1",
        TREADLE_CONFORMANCE_SEED=seed,
        TREADLE_PLATFORMS="cpu",
    )


@nox.session
def mutants(session: nox.Session) -> None:
    """Single faults in the sources, drawn from a seed: each must be found by a test, or have a reason why not."""
    install(session, ["jax-compat"], *SUITE)
    session.run("python", "-m", "conformance.mutants", *session.posargs)


@nox.session
def timing(session: nox.Session) -> None:
    """The tests that compare wall-clock times, one after the other; for a quiet machine."""
    install(session, EVERYTHING, *SUITE)
    folders = ["packages/runtime/tests", "conformance"]
    pytest(session, *folders, "-m", "timing", TREADLE_PLATFORMS="cpu")


@nox.session(name="conformance-peer")
@nox.parametrize("peer", ["jax", "hook"], ids=["jax", "hook"])
def conformance_peer(session: nox.Session, peer: str) -> None:
    """The FAQ's rows and laws of transformations on JAX from the registry, without treadle, and behind `import jax`.

    `-- --report=conformance/results/peers.json` writes the counts down.
    """
    if peer == "jax":
        session.install("jax", *SUITE)
    else:
        install(session, ["jax-compat"], *SUITE)
    plugin = ["-p", "conformance.peers.plugin", "--confcutdir=conformance/faq"]
    rows = ["conformance/faq", "conformance/peers/laws.py", *WORKERS, *STEADY, *session.posargs]
    session.run("python", "-m", "pytest", *plugin, *rows, env={"TREADLE_SUT": peer})


def jaxlib_version(session: nox.Session) -> str:
    """The jaxlib that is installed in the session."""
    command = "import importlib.metadata as m; print(m.version('jaxlib'))"
    return (session.run("python", "-c", command, silent=True) or "").strip()


def compared_with_jax(session: nox.Session, part: str) -> None:
    """Tests that ask JAX of the same jaxlib, which the session installs next to treadle."""
    install(session, EVERYTHING, *PYTEST, "mpmath")
    session.install(f"jax=={jaxlib_version(session)}")
    python = str(Path(session.bin) / "python")
    environment = {"TREADLE_PARITY_PYTHON": python, "TREADLE_PARITY_PART": part}
    pytest(session, "conformance/parity", *WORKERS, **environment)


@nox.session
def parity(session: nox.Session) -> None:
    """The same answers as JAX's (on the same jaxlib), which runs in a process of its own: the part that is quick."""
    compared_with_jax(session, "short")


@nox.session(python=NEWEST)
def newest(session: nox.Session) -> None:
    """All of parity, and the newest client libraries, with a JAX that needs a newer Python than `.ci/run`."""
    compared_with_jax(session, "long")
    install_clients(session, [line.partition("==")[0] for line in pinned_clients()], "--upgrade")
    session.run("python", "-m", "conformance.clients.run", "--live")


@nox.session(name="random-programs")
def random_programs(session: nox.Session) -> None:
    """Programs drawn at random, also on JAX of the same jaxlib: `nox -s random-programs -- --hours 2 --seed 5`."""
    install(session, EVERYTHING)
    session.install("scipy", f"jax=={jaxlib_version(session)}")
    given = ["--jax", str(Path(session.bin) / "python"), *session.posargs]
    eight = {"TREADLE_NUM_CPU_DEVICES": "8", "TREADLE_PLATFORMS": "cpu"}
    session.run("python", "-m", "conformance.random_programs", *given, env=eight)


@nox.session(name="parity-long")
def parity_long(session: nox.Session) -> None:
    """The same with 64-bit types, distributions, signals and derivatives: all of it."""
    compared_with_jax(session, "long")


def install_clients(session: nox.Session, releases: list[str], *options: str) -> None:
    """Install JAX's libraries next to treadle: all that can be installed, and a warning about the others."""
    install(session, ["jax-compat"], "numpy", "matplotlib", "cloudpickle", *PYTEST)
    # They declare jax, so it is installed, too: the hook goes in front of it.
    jax = f"jax=={jaxlib_version(session)}"
    try:
        session.install(*options, jax, *releases)
    except nox.command.CommandFailed:
        session.warn("the libraries cannot all be installed; the lines above say why")
        session.install(jax)
        for release in releases:
            try:
                session.install(*options, jax, release)
            except nox.command.CommandFailed:
                session.warn(
                    f"{release} cannot be installed together with {jax}: its job will fail"
                )


def pinned_clients() -> list[str]:
    """The pinned releases, as requirements."""
    lines = (line.partition("#")[0].strip() for line in CLIENTS.read_text().splitlines())
    return [line for line in lines if line]


@nox.session
def clients(session: nox.Session) -> None:
    """JAX's libraries, unmodified, on treadle: every import, a job for each, an example project."""
    install_clients(session, pinned_clients())
    session.run(
        "python", "-m", "conformance.clients.run", *(QUICK_CLIENTS if BRIEF else session.posargs)
    )
    if not session.posargs and not BRIEF:
        session.run("pytest", "examples/neural_ode/test_fit.py")


@nox.session(name="clients-long")
def clients_long(session: nox.Session) -> None:
    """The same with the newest releases, against JAX itself; then the example project at full length on both."""
    newest = [line.partition("==")[0] for line in pinned_clients()]
    install_clients(session, newest, "--upgrade")
    session.run("python", "-m", "conformance.clients.run", "--live", *session.posargs)
    if not session.posargs:
        session.run("pytest", "examples/neural_ode")


@nox.session(name="clients-further")
def clients_further(session: nox.Session) -> None:
    """Further libraries: their modules and a job for each, on JAX and on treadle; half an hour."""
    install(session, ["jax-compat"], *PYTEST)
    session.install(f"jax=={jaxlib_version(session)}", "-r", str(CLIENTS.with_name("further.txt")))
    session.run("python", "-m", "conformance.clients.further", *session.posargs)


@nox.session(name="clients-suites")
def clients_suites(session: nox.Session) -> None:
    """The tests in the source archives of JAX's libraries, on JAX and on treadle; an hour or more."""
    install_clients(session, pinned_clients())
    session.install("pip", "pytest-timeout", "scikit-learn")
    session.run("python", "-m", "conformance.clients.suites", *session.posargs)


def on_device(session: nox.Session, platform: str, found: bool, *more: str) -> None:
    """Run the suite across packages on an accelerator; without one skip it, or fail after `-- --require-device`."""
    kind = "TPU" if platform == "tpu" else "GPU"
    if not found:
        if "--require-device" in session.posargs:
            session.error(f"no {kind} on this machine, and --require-device was given")
        session.skip(f"no {kind} on this machine: nothing was run")
    install(session, EVERYTHING, *SUITE)
    session.install(*more)
    report = f"--ran-on={Path(session.create_tmp()).resolve() / 'ran_on.json'}"
    # One process: it takes the device. Not all of its memory, which tests that start processes need, too.
    environment = {"TREADLE_PLATFORMS": f"{platform},cpu", "TREADLE_PREALLOCATE": "false"}
    pytest(session, "conformance", "--ignore=conformance/parity", report, **environment)


@nox.session(name="conformance-gpu")
def conformance_gpu(session: nox.Session) -> None:
    """The suite across packages, on a GPU if there is one."""
    smi = shutil.which("nvidia-smi")
    shown = subprocess.run([smi], capture_output=True, text=True) if smi is not None else None
    found = shown is not None and shown.returncode == 0
    # The newest CUDA that the driver speaks, and the plugin of jaxlib's own version.
    speaks = re.search(r"CUDA Version: ([0-9]+)", shown.stdout) if shown is not None else None
    cuda = 13 if speaks is not None and int(speaks.group(1)) >= 13 else 12
    plugin = f"treadle-runtime[cuda{cuda}]"
    on_device(session, "cuda", found, str(built("runtime")) + f"[cuda{cuda}]" if found else plugin)


@nox.session(name="conformance-tpu")
def conformance_tpu(session: nox.Session) -> None:
    """The suite across packages, on a TPU if there is one."""
    devices = [*Path("/dev").glob("accel[0-9]*"), *Path("/dev/vfio").glob("[0-9]*")]
    on_device(session, "tpu", bool(devices), "libtpu")


@nox.session(name="conformance-rehearsal")
def conformance_rehearsal(session: nox.Session) -> None:
    """Rehearse accelerator sessions, as far as a CPU allows: packages, collection, markers, a sample, the report."""
    install(session, EVERYTHING, *SUITE)
    report = Path(session.create_tmp()).resolve() / "ran_on.json"
    sample = ["--executor=xla", "--sample=100", "--sample-seed=7", f"--ran-on={report}"]
    # The whole suite takes longer to collect than the sample takes to run; conformance-brief collects it.
    laws = ["array_api", "composed", "control", "linear_algebra", "references", "transpose"]
    files = [f"conformance/test_{law}.py" for law in laws]
    brief = {"TREADLE_CONFORMANCE_BRIEF": "1"}
    pytest(session, *files, "conformance/faq", *sample, *STEADY, **brief)
    session.run("python", "-c", f"import json; json.load(open({str(report)!r}))['total']['cpu']")
    folders = [
        *("conformance/faq", "conformance/gpu", "conformance/faults", "conformance/distributed"),
        *("conformance/contexts", "conformance/debugging", "conformance/test_types.py"),
    ]
    for name in ("cuda", "tpu"):
        environment = {"TREADLE_PLATFORMS": f"{name},cpu"}
        collect = ("python", "-m", "pytest", "--collect-only", "-q")
        session.run(*collect, *folders, env=environment, silent=True)
    required = ("python", "-m", "pytest", "--require-device", "conformance/gpu")
    session.run(*required, env={"TREADLE_PLATFORMS": "cpu"}, success_codes=[1], silent=True)


@nox.session
def build(session: nox.Session) -> None:
    """Sdist and wheel of each; all wheels into one environment; public names; one gradient."""
    install(session, PACKAGES)
    session.run("python", "-I", "scripts/alone/treadle.py")
    session.run("python", "-I", "scripts/public_names.py", *session.posargs)


@nox.session
@each_package
def alone(session: nox.Session, package: str) -> None:
    """One wheel with what it declares, in an environment that has nothing else."""
    install(session, [package])
    session.run("python", "-I", f"scripts/alone/{package}.py")


@nox.session
def oldest(session: nox.Session) -> None:
    """Each package's tests with the oldest releases of siblings that it declares, built from their tags."""
    for folder in PACKAGES:
        wheels = {each: released(session, folder, each) for each in needed([folder])[:-1]}
        if not any(wheels.values()):
            session.log(
                f"{DISTRIBUTIONS[folder]}: no sibling is released yet, so `tests` is the same"
            )
            continue
        install(session, [folder])
        older = [str(wheel) for wheel in wheels.values() if wheel is not None]
        session.install("--force-reinstall", "--no-deps", *older)
        session.install(*PYTEST, "mpmath", "scipy>=1.17")
        pytest(session, f"packages/{folder}/tests", *WORKERS, *STEADY)


def released(session: nox.Session, dependent: str, folder: str) -> Path | None:
    """The wheel of the oldest release of a sibling that is allowed; None, and a word, where this tree stands for it."""
    text = (ROOT / "packages" / dependent / "pyproject.toml").read_text()
    name = DISTRIBUTIONS[folder]
    declared = re.search(rf'"{name}>=([\d.]+)', text)
    if declared is None:  # a sibling of a sibling, which goes with that
        return None
    numbers = [*declared[1].split("."), "0", "0"][:3]
    tag = f"{name}-v{'.'.join(numbers)}"
    archive = ["git", "archive", "--format=tar", tag, f"packages/{folder}"]
    made = subprocess.run(archive, cwd=ROOT, capture_output=True)
    if made.returncode != 0:
        session.log(f"{tag} is not released (there is no such tag): this tree stands for it")
        return None
    place = Path(session.create_tmp()) / tag
    place.mkdir(parents=True, exist_ok=True)
    subprocess.run(["tar", "-x", "-C", str(place)], input=made.stdout, check=True)
    command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(place)]
    subprocess.run([*command, str(place / "packages" / folder)], check=True)
    return next(place.glob("*.whl"))


@nox.session
def release(session: nox.Session) -> None:
    """Rehearse a release with `-- --dry-run`: upload all to an index on this machine, install and run each from it."""
    if session.posargs != ["--dry-run"]:
        session.error(
            "run `nox -s release -- --dry-run`; a tag releases, as CONTRIBUTING.md describes"
        )
    session.install("pypiserver>=2.3", "twine>=6.1", "uv")
    for folder in PACKAGES:
        built(folder)
    pairs = [f"{folder}={name}" for folder, name in DISTRIBUTIONS.items()]
    session.run("python", "scripts/rehearse_release.py", str(DIST), *pairs)


@nox.session
def quickstart(session: nox.Session) -> None:
    """The main job: train on real images, write the report."""
    install(session, EVERYTHING, *EXAMPLES)
    session.run("python", "examples/quickstart/quickstart.py", *session.posargs)


@nox.session
def examples(session: nox.Session) -> None:
    """The tests of the examples, the main job among them."""
    install(session, EVERYTHING, *EXAMPLES, *PYTEST)
    # neural_ode needs JAX's libraries: the session `clients` runs it
    pytest(session, *WORKERS, "examples", "--ignore=examples/neural_ode")


@nox.session
def bench(session: nox.Session) -> None:
    """Treadle, jax on the same jaxlib, and numpy, side by side."""
    install(session, EVERYTHING)
    session.install(f"jax=={jaxlib_version(session)}")
    session.run("python", "benchmarks/run.py", *session.posargs)


@nox.session(name="bench-clients")
def bench_clients(session: nox.Session) -> None:
    """JAX's libraries under the hook and on JAX, side by side."""
    install_clients(session, pinned_clients())
    session.run("python", "benchmarks/clients.py", *session.posargs)


@nox.session
def primitives(session: nox.Session) -> None:
    """Regenerate docs/primitives.md and docs/coverage.md, and compare; benchmarks call every function."""
    install(session, EVERYTHING, *SUITE)
    session.run("python", "scripts/primitive_status.py", "--check", "docs/primitives.md")
    session.run("python", "scripts/coverage.py", "--check", "docs/coverage.md")
    session.run("python", "benchmarks/functions_page.py", "--check")


@nox.session
def docs(session: nox.Session) -> None:
    """Links, the code in every README and of the errors, the tour, the docstrings' examples."""
    install(session, PACKAGES, *PYTEST, *HOW_TOS)
    session.run("python", "scripts/links.py")
    session.run("python", "scripts/settings_page.py", "--check", "docs/settings.md")
    session.run("python", "scripts/findings_page.py", "--check", "docs/findings.md")
    session.run("python", "scripts/docstrings.py")
    readmes = ["README.md", *(f"packages/{folder}/README.md" for folder in PACKAGES)]
    session.run(
        "python",
        "scripts/examples.py",
        *readmes,
        "docs/command-line.md",
        "docs/errors.md",
        "docs/faq.md",
        "docs/debugging.md",
        "docs/export.md",
        "docs/extending.md",
        "docs/versions.md",
    )
    several = "docs/howto/several-devices.md"
    how_tos = [
        str(page) for page in sorted(Path("docs/howto").glob("*.md")) if str(page) != several
    ]
    for page in how_tos:  # one process each: they begin with their imports and settings
        session.run("python", "scripts/examples.py", page)
    eight = {"TREADLE_NUM_CPU_DEVICES": "8"}
    session.run("python", "scripts/examples.py", "docs/sharding.md", several, env=eight)
    for chapter in sorted(Path("docs/tour").glob("*.py")):
        session.run("python", str(chapter))
    # What is expected must not depend on the processor: NumPy does here without the extensions of this one, which the
    # tests of the packages use.
    found = session.run("python", "-c", FEATURES, silent=True)
    plain = {"NPY_DISABLE_CPU_FEATURES": str(found).strip()}
    for name in DISTRIBUTIONS.values():  # one process each: the façade changes what is printed
        package = name.replace("-", "_")
        pytest(session, "--doctest-modules", "--pyargs", package, **plain)


@nox.session
def site(session: nox.Session) -> None:
    """The site, in build/site/html: warnings and lost links are errors. `-- --browser` searches it in Chromium."""
    install(session, PACKAGES, "-r", "site/requirements.txt")
    session.run("mypy", "--explicit-package-bases", "site", env={"MYPYPATH": "site"})
    session.run("python", "site/stage.py")
    doctrees, html = "build/site/doctrees", "build/site/html"
    options = ["-W", "--keep-going", "-n", "-q", "-c", "site", "-d", doctrees, "-b", "html"]
    offline = {"SITE_OFFLINE": "1"} if "--offline" in session.posargs else {}
    session.run("sphinx-build", *options, "site/.source", html, env=offline)
    session.run("python", "site/check_links.py", html)
    if "--browser" in session.posargs:
        pictures = ["--pictures", "build/site/pictures"]
        session.run("python", "site/check_browser.py", html, *pictures)
