"""The platform that a wheel's name promises, computed from what its ELF files ask of the system."""

import os
import re
import subprocess

# The newest symbol versions of libstdc++ and libgcc_s on every mainstream system with glibc 2.N (PEP 600), as auditwheel's
# policies list them: N, GLIBCXX, CXXABI, GCC. Rows between two glibc versions hold for the lower one and those above it.
SYSTEMS = (
    (17, (3, 4, 19), (1, 3, 7), (4, 8, 0)),
    (24, (3, 4, 22), (1, 3, 10), (4, 8, 0)),
    (27, (3, 4, 24), (1, 3, 11), (7, 0, 0)),
    (31, (3, 4, 28), (1, 3, 12), (7, 0, 0)),
    (34, (3, 4, 29), (1, 3, 13), (7, 0, 0)),
    (35, (3, 4, 30), (1, 3, 13), (12, 0, 0)),
    (39, (3, 4, 33), (1, 3, 15), (14, 0, 0)),
)


def required_versions(path, objdump="objdump"):
    """The newest version that an ELF file asks for, by the family of its symbols: {"GLIBC": (2, 34), ...}."""
    command = [objdump, "-p", os.fspath(path)]
    shown = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout
    needed = shown.partition("Version References:")[2]
    newest = {}
    for family, version in re.findall(r"\b(GLIBC|GLIBCXX|CXXABI|GCC)_(\d[\d.]*)", needed):
        newest[family] = max(newest.get(family, ()), tuple(int(part) for part in version.split(".")))
    # Relocations packed in a way that only loaders from glibc 2.36 on understand.
    if "GLIBC_ABI_DT_RELR" in needed:
        newest["GLIBC"] = max(newest.get("GLIBC", ()), (2, 36))
    return newest


def elf_files(directory):
    return [path for path in sorted(directory.rglob("*")) if path.is_file() and path.open("rb").read(4) == b"\x7fELF"]


def platform_tag(package, machine, objdump="objdump"):
    """manylinux_2_N_ARCH for the oldest system that has every symbol the package's files ask for."""
    newest = {}
    for path in elf_files(package):
        for family, version in required_versions(path, objdump).items():
            newest[family] = max(newest.get(family, ()), version)
    asked = tuple(newest.get(family, ()) for family in ("GLIBCXX", "CXXABI", "GCC"))
    for glibc, *there in SYSTEMS:
        if all(want <= have for want, have in zip(asked, there)):
            return f"manylinux_2_{max(glibc, newest.get('GLIBC', (2, 0))[1])}_{machine}"
    # Newer than the table: no promise but for systems like this one.
    return f"linux_{machine}"
