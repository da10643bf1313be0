"""What the recorders of the frameworks do with a profile they have made: read it, say the verdict, write the page."""

import os
import sys
import warnings

import stepscope


def tell(path, html=None, quiet=False):
    """Opens the profile, prints what it says, writes the page to ``html`` (None: no page). Returns the profile.

    The profiler must not stop the training: a fault here becomes a warning, and without a profile None is returned.
    """
    try:
        profile = stepscope.open(path, progress=False)
        if not quiet:
            sys.stdout.write(summary(profile))
    except stepscope.Error as error:
        warnings.warn(f"stepscope could not report on {path}: {error}", RuntimeWarning, stacklevel=3)
        return None
    if html is not None:
        try:
            profile.save_html(html)
            if not quiet:
                print(f"stepscope: the whole report is in {os.path.abspath(html)}")
        except stepscope.Error as error:
            warnings.warn(f"stepscope could not write {html}: {error}", RuntimeWarning, stacklevel=3)
    return profile


def summary(profile, findings=3):
    """The verdict and the first findings, one line each."""
    report = profile.report()
    lines = [f"stepscope: {_sentence(report)}"]
    for finding in list(profile.findings)[:findings]:
        lines.append(f"  - {finding.title}")
    return "\n".join(lines) + "\n"


def _sentence(report):
    """The verdict; of several traces the first that there is."""
    for each in report.get("reports") or [report]:
        if each.verdict.sentence:
            return each.verdict.sentence
    return "the profile has no steps to judge"
