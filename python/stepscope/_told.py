"""What the recorders of the frameworks share: they read a profile they have made, say the verdict and write the page, and whatever
goes wrong meanwhile is a warning. Training goes on."""

import contextlib
import functools
import os
import sys
import warnings

import stepscope


_OURS = (os.path.dirname(os.path.abspath(__file__)), contextlib.__file__)


def warn(sentence):
    """A warning at the program's own line. It never raises, whatever filters the program has set."""
    frame, depth = sys._getframe(1), 2
    while frame is not None and frame.f_code.co_filename.startswith(_OURS):
        frame, depth = frame.f_back, depth + 1
    try:
        warnings.warn(sentence, RuntimeWarning, stacklevel=depth)
    except Warning:
        print(sentence, file=sys.stderr)


def harmless(doing):
    """For methods that a training loop calls: an error in them is a warning. ``doing`` completes "stepscope could not …"."""

    def guard(method):
        @functools.wraps(method)
        def call(*args, **kwargs):
            with warned(doing):
                return method(*args, **kwargs)
            return None

        return call

    return guard


@contextlib.contextmanager
def warned(doing):
    """The same for a block."""
    try:
        yield
    except Exception as error:
        warn(f"stepscope could not {doing}: {error}")


class Told:
    """What a recorder knows of the profiles it has made. The report stays; profiles are closed once they were read, and opened again
    when somebody asks for them."""

    def __init__(self):
        self.paths = []
        self.report = None
        self._profile = None

    def tell(self, path, html=None, quiet=False):
        """Reads the profile, prints what it says, writes the page to ``html`` (None: no page)."""
        self._profile = self.report = None
        self.paths.append(path)
        try:
            self._read(path, html, quiet)
        except KeyboardInterrupt:
            warn(f"reading {path} was stopped; training goes on. Ctrl-C again stops training")
        except Exception as error:
            warn(f"stepscope could not report on {path}: {error}")

    def _read(self, path, html, quiet):
        with stepscope.open(path, progress=False) as profile:
            self.report = profile.report()
            if not quiet:
                sys.stdout.write(summary(self.report))
            if html is not None:
                with warned(f"write {html}"):
                    profile.save_html(html)
                    if not quiet:
                        print(f"stepscope: the whole report is in {os.path.abspath(html)}")

    @property
    def profile(self):
        """The last profile, opened when first asked for; None before there is one."""
        if self._profile is None and self.paths:
            self._profile = stepscope.open(self.paths[-1], progress=False)
        return self._profile


def summary(report, findings=3):
    """The verdict and the first findings, one line each."""
    lines = [f"stepscope: {_sentence(report)}"]
    found = [finding for part in report.parts for finding in part["findings"]]
    for finding in found[:findings]:
        lines.append(f"  - {finding.title}")
    return "\n".join(lines) + "\n"


def _sentence(report):
    """The verdict; of several traces the first that there is."""
    for each in report.parts:
        if each["verdict"]["sentence"]:
            return each["verdict"]["sentence"]
    return "the profile has no steps to judge"
