"""The page that the program embeds: built here with node, or brought ready-made by a source distribution."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
READY_MADE = ROOT / "web" / "page"
BUILT = ROOT / "build" / "web" / "page"

MISSING = """\
stepscope_build: the page of `stepscope serve` and `--html` cannot be built: {what}.
Do one of these:
  - install node (at least 20.19) with npm, and run again; npm takes the packages of web/package-lock.json from its registry
  - install from a source distribution (`make sdist` where node is): it carries the built page
  - build without the page: pip install . --config-settings page=none"""


def prepare_page(config_settings):
    """Brings what building the page needs. Ends the build where that fails, unless a package without page was asked for."""
    if READY_MADE.is_dir() or (config_settings or {}).get("page") == "none":
        return
    told = subprocess.run([ROOT / "scripts" / "setup-web", "--no-apt"], capture_output=True, text=True, check=False)
    if subprocess.run([ROOT / "scripts" / "find-node"], capture_output=True, check=False).returncode != 0:
        raise SystemExit(MISSING.format(what="there is no node of at least 20.19"))
    if told.returncode != 0 or not (ROOT / "web" / "node_modules" / "vite").is_dir():
        print(told.stdout, told.stderr)
        raise SystemExit(MISSING.format(what="npm could not bring the packages of web/package-lock.json (see above)"))


def check_page(config_settings):
    """After the build: the page is there, or was not wanted."""
    if (config_settings or {}).get("page") == "none":
        return
    empty = [path.name for path in BUILT.iterdir() if path.stat().st_size == 0]
    if empty:
        raise SystemExit(MISSING.format(what=f"the build left {', '.join(sorted(empty))} empty"))
