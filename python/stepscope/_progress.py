"""Progress where people look: a line on a terminal, a bar in a notebook, nothing elsewhere."""

import contextlib
import sys
import time

_FIRST = 0.5  # seconds before anything is shown


@contextlib.contextmanager
def progress_for(wanted):
    """The function to tell, or None; what it drew is wiped at the end."""
    if wanted is False or wanted is None:
        yield None
    elif callable(wanted):
        yield wanted
    elif wanted is not True:
        raise TypeError("progress is True, False or a function of a share and a word")
    else:
        bar = _notebook_bar() or _terminal_bar()
        try:
            yield bar
        finally:
            if bar is not None:
                bar.finish()


class _Bar:
    def __init__(self):
        self._due = time.monotonic() + _FIRST
        self._drawn = False

    def __call__(self, share, what):
        if time.monotonic() >= self._due:
            self._draw(share, what)
            self._drawn = True

    def finish(self):
        if self._drawn:
            self._wipe()


class _TerminalBar(_Bar):
    def _draw(self, share, what):
        filled = round(max(0.0, min(1.0, share)) * 30)
        sys.stderr.write(f"\r\x1b[2K{what:<10} {'█' * filled}{' ' * (30 - filled)} {share * 100:3.0f} %")
        sys.stderr.flush()

    def _wipe(self):
        sys.stderr.write("\r\x1b[2K")
        sys.stderr.flush()


class _NotebookBar(_Bar):
    def __init__(self):
        super().__init__()
        self._display = None

    def _draw(self, share, what):
        from IPython.display import HTML, display

        from stepscope._html import progress

        if self._display is None:
            self._display = display(HTML(progress(share, what)), display_id=True)
        else:
            self._display.update(HTML(progress(share, what)))

    def _wipe(self):
        from IPython.display import HTML

        self._display.update(HTML(""))


def _terminal_bar():
    stream = sys.stderr
    return _TerminalBar() if stream is not None and hasattr(stream, "isatty") and stream.isatty() else None


def _notebook_bar():
    # Only a kernel that is already running matters; IPython is never imported for this.
    shell = sys.modules.get("IPython")
    shell = shell.get_ipython() if shell is not None and hasattr(shell, "get_ipython") else None
    return _NotebookBar() if shell is not None and getattr(shell, "kernel", None) is not None else None
