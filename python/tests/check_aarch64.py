"""The wheel for aarch64. On the machine that built it: files WHEEL SITE ROOT. Under qemu: installed PROFILE FOLDER.

`files` looks at the wheel from outside: every ELF file is of that machine, needs nothing that is neither the system's nor in the
wheel, asks for no symbol newer than the tag promises; every library has its licence. `installed` uses it: import, tables, report
and page.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import zipfile

SYSTEM = re.compile(r"^(ld-linux.*|libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+)\.so")
AARCH64 = 183  # EM_AARCH64 of the ELF standard
# GLIBCXX of mainstream systems by glibc 2.N: Red Hat 9, Ubuntu 22.04 and Debian 12, Ubuntu 24.04.
GLIBCXX = ((34, 29), (35, 30), (39, 33))


def check_files(wheel, site, root):
    name = os.path.basename(wheel)
    promised = int(re.fullmatch(r"stepscope-[\d.]+-cp311-cp311-manylinux_2_(\d+)_aarch64\.whl", name)[1])
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        licences = next(archive.read(each).decode() for each in archive.namelist() if each.endswith("THIRD-PARTY-NOTICES"))
        tag = next(archive.read(each).decode() for each in archive.namelist() if each.endswith("dist-info/WHEEL"))
    assert f"Tag: {name[len('stepscope-'):-len('.whl')].partition('-')[2]}\n" in tag, tag
    package = pathlib.Path(site) / "stepscope"
    ours = {path.name for path in (package / "_libs").iterdir()}
    elf = [path for path in package.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
    assert {"stepscope", "_native.cpython-311-aarch64-linux-gnu.so"} <= {path.name for path in elf}
    glibc = glibcxx = 0
    for path in elf:
        assert int.from_bytes(path.read_bytes()[18:20], "little") == AARCH64, path
        # readelf of any machine reads files of every other.
        told = subprocess.run(["readelf", "-dVW", path], capture_output=True, text=True, check=True).stdout
        for library in re.findall(r"\(NEEDED\).*\[(.*?)\]", told):
            assert library in ours or SYSTEM.match(library), f"{path.name} needs {library}"
        glibc = max([glibc, *map(int, re.findall(r"Name: GLIBC_2\.(\d+)", told))])
        glibcxx = max([glibcxx, *map(int, re.findall(r"Name: GLIBCXX_3\.4\.(\d+)", told))])
    assert glibc <= promised, f"asks for glibc 2.{glibc}, promises 2.{promised}"
    assert glibcxx <= max(version for system, version in GLIBCXX if system <= promised), glibcxx
    assert "was not on the machine" not in licences
    for library in ours:
        assert library in licences, library
    assert (pathlib.Path(root) / "complete").exists()
    print(f"aarch64: {name}: {len(elf)} files of that machine, {len(ours)} libraries with their licences, glibc 2.{glibc}")


def check_installed(profile, folder):
    import stepscope

    assert os.uname().machine == "aarch64", os.uname()
    with stepscope.open(profile, progress=False) as opened:
        report = opened.report()
        rows = opened.kernels.rows()
        page = os.path.join(folder, "page.html")
        opened.save_html(page)
    with open(os.path.join(folder, "report.json"), "w", encoding="utf-8") as file:
        json.dump(report, file)
    text = pathlib.Path(page).read_text(encoding="utf-8")
    begin = '<script type="application/json" id="stepscope-data">'
    assert begin in text and '<script type="module">' in text and len(text) > 100_000, len(text)
    assert json.loads(text.partition(begin)[2].partition("</script>")[0])
    print(f"aarch64: Python {sys.version.split()[0]} under qemu: {len(rows)} kernels, a page of {len(text)} characters: {report.verdict.sentence}")


if __name__ == "__main__":
    {"files": check_files, "installed": check_installed}[sys.argv[1]](*sys.argv[2:])
