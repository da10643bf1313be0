"""Where the command line program is, and the code that records inside a program."""

import os


def program():
    """The path of the program: the wheel's own, or in a checkout what ``make release`` built."""
    here = os.path.dirname(os.path.abspath(__file__))
    checkout = os.path.dirname(os.path.dirname(here))
    for path in (
        os.path.join(here, "_bin", "stepscope"),
        os.path.join(checkout, "build", "release", "stepscope"),
    ):
        if os.access(path, os.X_OK):
            return path
    raise FileNotFoundError("the program stepscope is not beside the package; install the wheel, or run make release")


def hook_folder():
    """The folder of the recorder's code: the wheel's own, or in a checkout its source."""
    here = os.path.dirname(os.path.abspath(__file__))
    checkout = os.path.dirname(os.path.dirname(here))
    for path in (os.path.join(here, "_hook"), os.path.join(checkout, "src", "record", "hook")):
        if os.path.isdir(path):
            return path
    raise FileNotFoundError("the recorder's code is not beside the package; install the wheel")
