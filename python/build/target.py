"""What a wheel is built for: this machine and interpreter, or aarch64 and Debian's Python 3.11 (python/build/run-aarch64)."""

import os
import pathlib
import re
import subprocess
import sys
import sysconfig
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]


def output(*command):
    return subprocess.run([os.fspath(part) for part in command], check=True, capture_output=True, text=True).stdout


@dataclass(frozen=True)
class Target:
    machine: str  # as in the tag
    preset: str  # of CMakePresets.json
    build: pathlib.Path
    extensions: pathlib.Path  # the folder of the extension
    suffix: str  # of its name
    python_tag: str
    tools: str = ""  # the first part of the names of strip and objdump
    root: pathlib.Path = pathlib.Path("/")  # where the libraries come from

    def tool(self, name):
        return self.tools + name

    def libraries_of(self, file):
        """{name: path} of the shared libraries that a file needs, and those need."""
        if self.root == pathlib.Path("/"):
            return dict(re.findall(r"^\s*(\S+) => (/\S+)", output("ldd", file), re.M))
        found, left = {}, [file]
        while left:
            for name in needed(left.pop()):
                path = next((folder / name for folder in self.folders() if (folder / name).exists()), None)
                if path is not None and name not in found:
                    found[name] = os.fspath(path)
                    left.append(path)
        return found

    def folders(self):
        triplet = f"{self.machine}-linux-gnu"
        return [self.root / place / triplet for place in ("usr/lib", "lib")] + [self.root / "lib"]


def needed(path):
    return output("patchelf", "--print-needed", path).split()


def this_machine():
    version = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    return Target(
        machine=os.uname().machine,
        preset="release",
        build=ROOT / "build" / "release",
        extensions=ROOT / "python" / "stepscope",
        suffix=sysconfig.get_config_var("EXT_SUFFIX"),
        python_tag=f"{version}-{version}{sys.abiflags}",
    )


def aarch64():
    home = ROOT / "build" / "aarch64"
    return Target(
        machine="aarch64",
        preset="aarch64",
        build=home / "release",
        extensions=home / "python",
        suffix=".cpython-311-aarch64-linux-gnu.so",
        python_tag="cp311-cp311",
        tools="aarch64-linux-gnu-",
        root=home / "root",
    )
