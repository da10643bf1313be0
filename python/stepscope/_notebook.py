"""``%load_ext stepscope``, then ``%stepscope logdir``: the page inside the notebook."""

import argparse
import atexit
import html
import os
import shlex
import subprocess
import tempfile

from stepscope._binary import program

_HEIGHT = 720


def load_ipython_extension(ipython):
    """Adds the line magic ``%stepscope``."""
    ipython.register_magic_function(_magic, magic_kind="line", magic_name="stepscope")


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise ValueError(f"%stepscope: {message}\n{self.format_usage()}")


def _parser():
    parser = _Parser(prog="%stepscope", add_help=False)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--height", type=int, default=_HEIGHT)
    parser.add_argument("--static", action="store_true", help="the one-file page: stays in the saved notebook, needs no server")
    return parser


def _magic(line):
    """%stepscope [--height N] [--static] PATH...

    Shows the page of a profile in a frame. The server behind it listens on this machine only and ends with the kernel. Where
    the browser cannot reach this machine (a remote notebook), or to keep the page in the saved notebook: --static.
    """
    options = _parser().parse_args(shlex.split(line))
    return page(options.paths, height=options.height, static=options.static)


def page(paths, *, height=_HEIGHT, static=False):
    """What ``%stepscope`` shows, as an object that notebooks display."""
    return _Frame(_static_frame(paths, height) if static else _live_frame(paths, height))


class _Frame:
    def __init__(self, markup):
        self._markup = markup

    def _repr_html_(self):
        return self._markup


def _live_frame(paths, height):
    address = html.escape(_address_of(tuple(paths)), quote=True)
    return (
        f'<iframe class="stepscope-page" src="{address}" width="100%" height="{int(height)}" style="border:1px solid #8884" '
        f'referrerpolicy="no-referrer"></iframe><div><a href="{address}" target="_blank" rel="noreferrer">open in a tab of its own</a>'
        f" &middot; empty here? the browser does not reach this machine: %stepscope --static</div>"
    )


def _static_frame(paths, height):
    from stepscope._profile import open as open_profile

    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")
        with open_profile(list(paths)) as profile:
            profile.save_html(page)
        with open(page, encoding="utf-8") as file:
            # Pure ASCII: the page's own hashes hold whatever the notebook's encoding is.
            content = html.escape(file.read(), quote=True).encode("ascii", "xmlcharrefreplace").decode()
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
