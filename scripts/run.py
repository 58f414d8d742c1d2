"""Set up a private environment and run checks or examples in it: needs Python and nothing else.

    python3 scripts/run.py quickstart     train a network on real images, write a report
    python3 scripts/run.py tests          every check (what CI runs)
    python3 scripts/run.py nox ...        any nox command, such as `nox --list`

Everything is installed under `.venv-nox` and `.nox` in the repository; the system's Python is left
as it is, so this works where it refuses installs (PEP 668).
"""

import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".venv-nox"
PYTHON = HOME / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
TOOLS = ["nox[uv]>=2025.5", "build", "hatchling"]
NOX = [str(PYTHON), "-m", "nox"]
COMMANDS = {"quickstart": ["-s", "quickstart", "--"], "tests": [], "nox": []}

if sys.version_info < (3, 11):  # noqa: UP036 -- older Pythons get this far
    version = ".".join(map(str, sys.version_info[:3]))
    sys.exit(
        f"treadle needs Python 3.11 or later, and this is {version} ({sys.executable}).\n"
        "Run this script with a newer one, for example: python3.12 scripts/run.py ..."
    )


def set_up() -> None:
    """Make the private environment, unless an earlier run has finished making it."""
    done = HOME / "ready.txt"
    recipe = "\n".join([sys.version, *TOOLS])
    if done.exists() and done.read_text() == recipe:
        return
    print(f"Setting up {HOME.name} (once) ...", flush=True)
    make = [sys.executable, "-m", "venv", "--clear", str(HOME)]
    if find_spec("venv") is not None and find_spec("ensurepip") is not None:
        pip = [str(PYTHON), "-m", "pip"]
    elif find_spec("venv") is not None and find_spec("pip") is not None:
        # Debian ships ensurepip apart from Python; the system's pip can serve another environment.
        make.append("--without-pip")
        pip = [sys.executable, "-m", "pip", "--python", str(PYTHON)]
    else:
        sys.exit(
            "This Python can make no virtual environment: the module venv, or ensurepip, is"
            " missing.\nInstall it (Debian and Ubuntu: the package python3-venv) and try again."
        )
    subprocess.run(make, check=True)
    subprocess.run([*pip, "install", "--quiet", "--disable-pip-version-check", *TOOLS], check=True)
    done.write_text(recipe)


def main(arguments: list[str]) -> int:
    """Set up, then hand over to nox."""
    if not arguments or arguments[0] not in COMMANDS:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        set_up()
    except subprocess.CalledProcessError as error:
        sys.exit(f"Setting up failed: {' '.join(error.cmd)}")
    # nox runs in the repository: files the user named from elsewhere keep their place.
    words = [str(Path(word).resolve()) if Path(word).is_file() else word for word in arguments[1:]]
    if arguments == ["tests"]:
        return every_check()
    command = [*NOX, *COMMANDS[arguments[0]], *words]
    return subprocess.run(command, cwd=ROOT).returncode


def every_check() -> int:
    """Run what needs one core while the suites run; show its output when it has ended."""
    if subprocess.run([*NOX, "-s", "wheels"], cwd=ROOT).returncode != 0:
        return 1
    environments = [{**os.environ, "NOX_SESSION_LIST": each} for each in ("checks", "suites")]
    with tempfile.TemporaryFile() as output:
        checks = subprocess.Popen(
            NOX, cwd=ROOT, env=environments[0], stdout=output, stderr=subprocess.STDOUT
        )
        try:
            suites = subprocess.run(NOX, cwd=ROOT, env=environments[1]).returncode
            failed = checks.wait() != 0
        finally:
            checks.terminate()
        output.seek(0)
        shutil.copyfileobj(output, sys.stdout.buffer)
    return 1 if failed or suites != 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
