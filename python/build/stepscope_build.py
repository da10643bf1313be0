"""Builds the wheel: CMake makes the extension and the program, this packs them with the libraries a bare system lacks.

A PEP 517 backend (pip install ., pip install -e .), and a program of its own: python stepscope_build.py DIRECTORY.
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

from bundle_libraries import bundle, platform_tag

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "stepscope"
BUILD = ROOT / "build" / "release"
VERSION = (ROOT / "VERSION").read_text().strip()
EXTENSION = "_native" + sysconfig.get_config_var("EXT_SUFFIX")

METADATA = f"""\
Metadata-Version: 2.1
Name: stepscope
Version: {VERSION}
Summary: Says why a training or inference step takes as long as it does
License: Apache-2.0
Requires-Python: >=3.9
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C++
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: System :: Benchmark
Description-Content-Type: text/markdown
"""
ENTRY_POINTS = "[console_scripts]\nstepscope = stepscope.__main__:main\n"


def get_requires_for_build_wheel(config_settings=None):
    """Debian's pybind11 serves Python up to 3.11; newer ones need a newer one."""
    return ["pybind11>=2.13"] if sys.version_info >= (3, 12) else []


get_requires_for_build_editable = get_requires_for_build_wheel


def get_requires_for_build_sdist(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    compile_native()
    with tempfile.TemporaryDirectory() as stage:
        package = pathlib.Path(stage) / "stepscope"
        shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "*.so", "_bin"))
        (package / "_bin").mkdir()
        extension, program = package / EXTENSION, package / "_bin" / "stepscope"
        run("strip", "--strip-unneeded", "-o", extension, PACKAGE / EXTENSION)
        run("strip", "-o", program, BUILD / "stepscope")
        bundle([extension, program], package / "_libs")
        files = {str(path.relative_to(stage)): path.read_bytes() for path in sorted(package.rglob("*")) if path.is_file()}
        tag = f"{python_tag()}-{platform_tag(package)}"
    return pack(wheel_directory, tag, files, executable={"stepscope/_bin/stepscope"})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The checkout itself: the extension lies beside the sources."""
    compile_native()
    tag = f"{python_tag()}-{sysconfig.get_platform().replace('-', '_')}"
    return pack(wheel_directory, tag, {"stepscope.pth": f"{PACKAGE.parent}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    name = f"stepscope-{VERSION}"
    target = pathlib.Path(sdist_directory) / f"{name}.tar.gz"
    with tempfile.TemporaryDirectory() as stage:
        info = pathlib.Path(stage) / "PKG-INFO"
        info.write_text(METADATA)
        run("git", "archive", f"--prefix={name}/", f"--add-file={info}", "-o", target, "HEAD", cwd=ROOT)
    return target.name


def run(*command, **options):
    subprocess.run([os.fspath(part) for part in command], check=True, **options)


def compile_native():
    """The program and the extension for this interpreter, from the objects of the release build."""
    forget = [f"-U{pattern}" for pattern in ("Python_*", "_Python*", "PYTHON_*", "pybind11_*")]
    options = ["-DSTEPSCOPE_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}"]
    try:
        import pybind11

        options.append(f"-Dpybind11_DIR={pybind11.get_cmake_dir()}")
    except ImportError:
        pass  # CMake looks for the system's
    jobs = os.environ.get("JOBS", str(os.cpu_count()))
    run("cmake", "--preset", "release", "-Wno-dev", *forget, *options, cwd=ROOT, stdout=subprocess.DEVNULL)
    run("cmake", "--build", "--preset", "release", "-j", jobs, "--target", "stepscope", "stepscope_python", cwd=ROOT)


def python_tag():
    version = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    return f"{version}-{version}"


def pack(directory, tag, files, executable=frozenset()):
    """Writes the wheel. The same files give the same bytes."""
    info = f"stepscope-{VERSION}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: stepscope_build\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files = {
        **files,
        f"{info}/METADATA": (METADATA + "\n" + (ROOT / "README.md").read_text()).encode(),
        f"{info}/WHEEL": wheel.encode(),
        f"{info}/entry_points.txt": ENTRY_POINTS.encode(),
        f"{info}/LICENSE": (ROOT / "LICENSE").read_bytes(),
    }
    name = f"stepscope-{VERSION}-{tag}.whl"
    record = f"{info}/RECORD"
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
    os.makedirs(sys.argv[1], exist_ok=True)
    print(os.path.join(sys.argv[1], build_wheel(sys.argv[1])))
