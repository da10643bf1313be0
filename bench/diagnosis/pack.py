"""Packs a folder of recordings into a few archives: pack.py DIR OUT [COUNT]. Each file is compressed on its own, on all cores."""
import lzma
import os
import sys
import tarfile
from concurrent.futures import ProcessPoolExecutor


def compressed(path):
    """Replaces the file by PATH.xz; small texts stay."""
    if path.endswith("truth.json") or path.endswith(".txt"):
        return path
    with open(path, "rb") as plain, lzma.open(path + ".xz", "wb", preset=6) as packed:
        while block := plain.read(1 << 20):
            packed.write(block)
    os.remove(path)
    return path + ".xz"


def main(folder, out, count=7):
    with ProcessPoolExecutor() as pool:
        files = list(pool.map(compressed, [f"{folder}/{name}" for name in sorted(os.listdir(folder))]))
    piles = [[0, []] for _ in range(count)]
    for path in sorted(files, key=os.path.getsize, reverse=True):
        pile = min(piles, key=lambda p: p[0])
        pile[0] += os.path.getsize(path)
        pile[1].append(path)
    for n, (_, paths) in enumerate(piles):
        with tarfile.open(f"{out}/recordings{n}.tar", "w") as archive:
            for path in paths:
                archive.add(path, os.path.basename(path))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:4]))
