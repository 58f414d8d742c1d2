"""The table of all settings: docs/settings.md.

scripts/settings_page.py --write docs/settings.md    write the page, from what the settings say of themselves
scripts/settings_page.py --check docs/settings.md    fail if the page is out of date
"""

import os
import sys
from pathlib import Path
from typing import Any

HEAD = """# Settings

Written by `scripts/settings_page.py` from the descriptions of the settings; `nox -s docs` compares.

There are three ways to set each:

* `treadle.config.update("treadle_debug_nans", True)` for the process; JAX's key `jax_debug_nans` works, too.
* `TREADLE_DEBUG_NANS=1` in the environment, before the process starts; `JAX_DEBUG_NANS` is read if that is not set.
  A variable with one of these prefixes that is not a setting causes a warning, which names the most similar setting.
* `with treadle.debug_nans(True):` for a block, in this thread or task, if the table lists a context manager.

`treadle.config.treadle_debug_nans` reads the current value. Threads start with the values of the process.

What programs depend on is in the key of every cache ([0020](../decisions/0020-one-context.md)): a function that is used
again gives what a fresh one gives. Settings that require work on each call (*instrumented*) have compiled calls of
their own, so calls without them pay nothing.

Other variables: `TREADLE_CACHE`, `TREADLE_CACHE_DIR`, `TREADLE_CACHE_SIZE` (compiled programs on disk),
`TREADLE_PREALLOCATE`, `TREADLE_MEM_FRACTION` (memory of accelerators), `TREADLE_CPU_ASYNC`, `TREADLE_TRACEBACK`,
`TREADLE_STRICT` (as `treadle.config.strict()`, in [debugging](debugging.md#strict-silent-mistakes-are-errors)).

| setting | default | environment variable | context manager | what it does |
|---|---|---|---|---|
"""


def default_of(setting: Any) -> str:
    """Return the default, as Python writes it."""
    return f"`{setting.default!r}`"


def page() -> str:
    """Return the page."""
    import treadle  # noqa: PLC0415 - when the environment is clean
    from treadle import managers  # noqa: PLC0415
    from treadle.settings import names  # noqa: PLC0415
    from treadle_ir.settings import SETTINGS  # noqa: PLC0415

    by_setting = {
        each.setting.name: name
        for name, each in vars(managers).items()
        if isinstance(each, managers.SettingManager)
    }
    by_setting |= {"disable_jit": "disable_jit", "default_device": "default_device"}
    lines = []
    for name in names():
        setting = SETTINGS[name]
        manager = by_setting.get(name)
        if manager is not None and not hasattr(treadle, manager):
            raise SystemExit(
                f"treadle.{manager} is the context manager of {name}, and is not public"
            )
        said = f"{setting.help} *Instrumented.*" if setting.instrumented else setting.help
        with_manager = f"`{manager}`" if manager else ""
        cells = (f"`{name}`", default_of(setting), f"`{setting.variables[0]}`", with_manager, said)
        lines.append(f"| {' | '.join(cells)} |")
    return HEAD + "\n".join(lines) + "\n"


def main() -> int:
    """Write or compare."""
    for variable in [name for name in os.environ if name.startswith(("TREADLE_", "JAX_"))]:
        del os.environ[variable]
    _, action, file = sys.argv
    path = Path(file)
    if action == "--write":
        path.write_text(page(), encoding="utf-8")
    elif path.read_text(encoding="utf-8") != page():
        print(f"{file} is out of date: python scripts/settings_page.py --write {file}")
        return 1
    print(f"{file}: as the settings are")
    return 0


if __name__ == "__main__":
    sys.exit(main())
