"""``%load_ext stepscope``, then ``%stepscope logdir``: the page inside the notebook; ``%%stepscope_record`` records a cell."""

import argparse
import atexit
import functools
import html
import os
import shlex
import subprocess
import tempfile
import urllib.parse

from stepscope._binary import program

_HEIGHT = 720


def load_ipython_extension(ipython):
    """Adds the line magic ``%stepscope`` and the cell magic ``%%stepscope_record``."""
    ipython.register_magic_function(_magic, magic_kind="line", magic_name="stepscope")
    record_cell = functools.partial(_record_cell, ipython)
    record_cell.__doc__ = _record_cell.__doc__
    ipython.register_magic_function(record_cell, magic_kind="cell", magic_name="stepscope_record")


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise ValueError(f"{self.prog}: {message}\n{self.format_usage()}")


def _parser():
    parser = _Parser(prog="%stepscope", add_help=False)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--height", type=int, default=_HEIGHT)
    parser.add_argument("--lang", choices=("en", "zh"), default=None)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--static", action="store_true", help="the one-file page; this is what is shown unless you say --serve")
    kind.add_argument("--serve", action="store_true", help="the page of a server on this machine: for profiles of gigabytes")
    return parser


def _magic(line):
    """%stepscope [--height N] [--lang zh] [--serve] PATH...

    Shows the page of a profile in a frame. It needs no server and stays in the saved notebook. --serve shows the page of a server instead, for profiles of gigabytes: it listens on this machine only, ends with
    the kernel, and the browser has to run on this machine.
    """
    options = _parser().parse_args(shlex.split(line))
    return page(options.paths, height=options.height, static=not options.serve, lang=options.lang)


def _record_parser():
    parser = _Parser(prog="%%stepscope_record", add_help=False)
    parser.add_argument("--steps", type=int, default=None)
    parser.add_argument("--directory", default=None)
    parser.add_argument("--stacks", action="store_true")
    parser.add_argument("--memory", action="store_true")
    return parser


def _record_cell(ipython, line, cell):
    """%%stepscope_record [--steps N] [--directory DIR] [--stacks] [--memory]

    Runs the cell, records it and shows the report: the whole cell, or N of its steps. The recording goes to DIR (default:
    stepscope-run, stepscope-run-2 …).
    """
    from stepscope._recording import record

    options = _record_parser().parse_args(shlex.split(line))
    recording = record(
        options.steps, directory=options.directory, stacks=options.stacks, memory=options.memory, quiet=True
    )
    with recording:
        ipython.run_cell(cell)  # shows an exception of the cell by itself
    return recording.report


def page(paths, *, height=_HEIGHT, static=True, lang=None):
    """What ``%stepscope`` shows, as an object that notebooks display."""
    return _Frame(_static_frame(paths, height, lang) if static else _live_frame(paths, height, lang))


class _Frame:
    def __init__(self, markup):
        self._markup = markup

    def _repr_html_(self):
        return self._markup


def _live_frame(paths, height, lang):
    address = html.escape(_in_language(_address_of(tuple(paths)), lang), quote=True)
    return (
        f'<iframe class="stepscope-page" src="{address}" width="100%" height="{int(height)}" style="border:1px solid #8884" '
        f'referrerpolicy="no-referrer"></iframe><div><a href="{address}" target="_blank" rel="noreferrer">open in a tab of its own</a>'
        f" &middot; empty here? the browser does not reach this machine: %stepscope without --serve</div>"
    )


def _in_language(address, lang):
    """The page takes its language from the address, and without one from the browser."""
    if lang is None:
        return address
    parts = urllib.parse.urlsplit(address)
    query = "&".join(part for part in (parts.query, f"lang={lang}") if part)
    return urllib.parse.urlunsplit(parts._replace(query=query))


def _static_frame(paths, height, lang):
    from stepscope._profile import open as open_profile

    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")
        with open_profile(list(paths)) as profile:
            profile.save_html(page, lang=lang or "en")
        with open(page, encoding="utf-8") as file:
            written = file.read()
            # Without it the page's links lead to the notebook's own address: the frame would show the notebook's login. It stands
            # before the page's policy, which allows none.
            written = written.replace("<head>", '<head><base href="about:srcdoc">', 1)
            # Pure ASCII: the page's own hashes hold whatever the notebook's encoding is.
            content = html.escape(written, quote=True).encode("ascii", "xmlcharrefreplace").decode()
    # Scripts may run, but as nobody: no origin, so nothing of the notebook is in reach.
    return (
        f'<iframe class="stepscope-page" sandbox="allow-scripts" width="100%" height="{int(height)}" '
        f'style="border:1px solid #8884" srcdoc="{content}"></iframe>'
    )


_servers: dict = {}  # by paths: the process and its address


def _address_of(paths):
    """The address of a server for these paths: one for all cells that show them."""
    known = _servers.get(paths)
    if known is not None and known[0].poll() is None:
        return known[1]
    server = subprocess.Popen(
        [program(), "serve", "--embed", *paths], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    address = server.stdout.readline().strip()
    if not address:
        from stepscope._errors import ReadError

        raise ReadError(server.stderr.read().strip() or "stepscope serve ended before it printed its address")
    _servers[paths] = (server, address)
    return address


@atexit.register
def _stop_servers():
    for server, _ in _servers.values():
        server.terminate()
