"""``python -m stepscope`` and the ``stepscope`` script: the command line program that the package carries."""

import os
import sys

from stepscope._binary import program


def main():
    path = program()
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
