"""Copies the shared libraries that a bare system lacks into the package, and has the package's own files use them.

The copies get names that nobody else has, so that a framework in the same process keeps its own.
"""

import hashlib
import os
import re
import shutil
import subprocess

from target import needed

# What every glibc system with a C++ program on it has: Debian 12 and Ubuntu 22.04 from the first boot.
SYSTEM = re.compile(r"^(ld-linux.*|libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+)\.so(\.|$)")


def bundle(files, directory, target):
    """Gives each of the files (ELF) and each library it needs, and those need, a place and a search path.

    Returns what was copied: {name in the directory: file it was copied from}.
    """
    found = {}
    for file in files:
        found.update({name: path for name, path in target.libraries_of(file).items() if not SYSTEM.match(name)})
    if not found:
        return {}
    directory.mkdir()
    renamed = {}
    for name, path in sorted(found.items()):
        with open(path, "rb") as source:
            mark = hashlib.sha256(source.read()).hexdigest()[:8]
        stem, _, rest = name.partition(".so")
        renamed[name] = f"{stem}-{mark}.so{rest}"
        shutil.copy(path, directory / renamed[name])
    copies = [directory / name for name in renamed.values()]
    for copy in copies:
        os.chmod(copy, 0o755)
        subprocess.run(["patchelf", "--set-soname", copy.name, copy], check=True)
    for file in [*files, *copies]:
        search = os.path.join("$ORIGIN", os.path.relpath(directory, file.parent))
        replace = [part for name in needed(file) if name in renamed for part in ("--replace-needed", name, renamed[name])]
        # Two calls: in one, patchelf takes the last argument of either for both.
        if replace:
            subprocess.run(["patchelf", *replace, file], check=True)
        subprocess.run(["patchelf", "--set-rpath", search, file], check=True)
        left = [name for name in needed(file) if name not in renamed.values() and not SYSTEM.match(name)]
        if left:
            raise RuntimeError(f"{file.name} still asks for {', '.join(left)}")
    return {renamed[name]: path for name, path in found.items()}
