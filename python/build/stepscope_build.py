"""Builds the wheel: CMake makes the extension and the program, this packs them with the libraries a bare system lacks.

A PEP 517 backend (pip install ., pip install -e .), and a program of its own:
python stepscope_build.py wheel|wheel-aarch64|sdist DIRECTORY.
"""

import base64
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

from bundle_libraries import bundle
from platform_tag import platform_tag
from project_metadata import INFO, ROOT, THIRD_PARTY, VERSION, info_files, wheel_file
from source_distribution import write_source_distribution
from target import aarch64, this_machine
from third_party import third_party_licences
from web_page import BUILT, READY_MADE, check_page, prepare_page

PACKAGE = ROOT / "python" / "stepscope"
TOOLS = ("cmake", "ninja", "c++", "pkg-config", "patchelf", "objdump", "strip", "ldd")
SETUP = "On Debian, scripts/setup --python installs all that the build needs."


def get_requires_for_build_wheel(config_settings=None):
    lines = (ROOT / "python" / "build" / "requirements.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


get_requires_for_build_editable = get_requires_for_build_wheel


def get_requires_for_build_sdist(config_settings=None):
    return [line for line in get_requires_for_build_wheel() if line.startswith("tomli")]


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """No compiler is asked: this reads pyproject.toml, VERSION and README.md."""
    for path, content in info_files().items():
        target = pathlib.Path(metadata_directory) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return INFO


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    target = this_machine()
    compile_native(config_settings)
    return pack_native(wheel_directory, target)


def build_aarch64_wheel(wheel_directory):
    """For another machine than this one, by a cross compiler: python/build/run-aarch64 sees that all it needs is there."""
    target = aarch64()
    prepare_page(None)
    run("cmake", "--preset", target.preset, "-Wno-dev", cwd=ROOT, stdout=subprocess.DEVNULL)
    compile_preset(target.preset)
    check_page(None)
    return pack_native(wheel_directory, target)


def pack_native(wheel_directory, target):
    """The wheel of what was compiled for the target."""
    name = f"_native{target.suffix}"
    with tempfile.TemporaryDirectory() as stage:
        package = pathlib.Path(stage) / "stepscope"
        shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "*.so", "_bin"))
        (package / "_bin").mkdir()
        shutil.copytree(ROOT / "src" / "record" / "hook", package / "_hook", ignore=shutil.ignore_patterns("__pycache__"))
        extension, program = package / name, package / "_bin" / "stepscope"
        run(target.tool("strip"), "--strip-unneeded", "-o", extension, target.extensions / name)
        run(target.tool("strip"), "-o", program, target.build / "stepscope")
        libraries = bundle([extension, program], package / "_libs", target)
        files = {str(path.relative_to(stage)): path.read_bytes() for path in sorted(package.rglob("*")) if path.is_file()}
        tag = f"{target.python_tag}-{platform_tag(package, target.machine, target.tool('objdump'))}"
    files[f"{INFO}/licenses/{THIRD_PARTY}"] = third_party_licences(libraries, BUILT, root=target.root).encode()
    return pack(wheel_directory, tag, files, executable={"stepscope/_bin/stepscope"})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The checkout itself: the extension lies beside the sources."""
    compile_native(config_settings)
    tag = f"{this_machine().python_tag}-{sysconfig.get_platform().replace('-', '_')}"
    files = {
        "stepscope.pth": f"{PACKAGE.parent}\n".encode(),
        f"{INFO}/licenses/{THIRD_PARTY}": b"An editable install holds no library: it uses the system's.\n",
    }
    return pack(wheel_directory, tag, files)


def build_sdist(sdist_directory, config_settings=None):
    prepare_page(config_settings)
    if not READY_MADE.is_dir():
        run(ROOT / "scripts" / "build-web", BUILT)
    check_page(config_settings)
    return write_source_distribution(sdist_directory)


def run(*command, **options):
    subprocess.run([os.fspath(part) for part in command], check=True, **options)


def compile_native(config_settings):
    """The program and the extension for this interpreter, from the objects of the release build."""
    if sys.implementation.name != "cpython":
        raise SystemExit(f"stepscope_build: the extension is for CPython, and this is {sys.implementation.name}.")
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        raise SystemExit(f"stepscope_build: the build needs {', '.join(missing)}. {SETUP}")
    prepare_page(config_settings)
    forget = [f"-U{pattern}" for pattern in ("Python_*", "_Python*", "PYTHON_*", "pybind11_*")]
    options = ["-DSTEPSCOPE_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}"]
    if READY_MADE.is_dir():
        options.append("-DSTEPSCOPE_TESTS=OFF")  # A source distribution is built to be installed; a checkout tests this build, too.
    try:
        import pybind11

        options.append(f"-Dpybind11_DIR={pybind11.get_cmake_dir()}")
    except ImportError:
        pass  # CMake looks for the system's
    try:
        run("cmake", "--preset", "release", "-Wno-dev", *forget, *options, cwd=ROOT, stdout=subprocess.DEVNULL)
    except subprocess.CalledProcessError:
        raise SystemExit(f"stepscope_build: CMake did not find what it needs (see above). {SETUP}") from None
    compile_preset("release")
    check_page(config_settings)


def compile_preset(preset):
    jobs = os.environ.get("JOBS", str(os.cpu_count()))
    run("cmake", "--build", "--preset", preset, "-j", jobs, "--target", "stepscope", "stepscope_python", cwd=ROOT)


def pack(directory, tag, files, executable=frozenset()):
    """Writes the wheel. The same files give the same bytes."""
    files = {**files, **info_files(), f"{INFO}/WHEEL": wheel_file(tag).encode()}
    name = f"stepscope-{VERSION}-{tag}.whl"
    record = f"{INFO}/RECORD"
    lines = [f"{path},sha256={digest(content)},{len(content)}" for path, content in files.items()]
    files[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    with zipfile.ZipFile(pathlib.Path(directory) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if path in executable else 0o100644) << 16
            archive.writestr(entry, content)
    return name


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    kind, directory = sys.argv[1:]
    os.makedirs(directory, exist_ok=True)
    print(os.path.join(directory, {"wheel": build_wheel, "wheel-aarch64": build_aarch64_wheel, "sdist": build_sdist}[kind](directory)))
