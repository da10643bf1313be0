"""A profile on request: `stepscope capture python:PID` connects to a program that has the hook, asks for a window and is told
where its profile is. A thread waits for that, blocked in the kernel; it costs nothing until somebody asks."""

import _socket
import _thread
import os
import struct
import time

_NOW = time.monotonic
_WAIT_FOR_STEP = 30.0  # seconds that a program with steps may take to reach the end of one
_WAIT_WITHOUT = 1.0  # for a program whose steps nobody marks
_TICK = 0.05


def name_of(pid):
    return "\0stepscope-python-%d" % pid


class Request:
    """One window for somebody outside. Its files lie in a folder of its own, which goes when they were taken."""

    def __init__(self, window):
        import tempfile

        self.window = window
        self.folder = tempfile.mkdtemp(prefix="stepscope-capture-")
        self.began = False
        self.paths = None  # once it has ended
        self.failure = None

    def over(self):
        return self.paths is not None or self.failure is not None


class Listener:
    def __init__(self, hook, recorder):
        self.hook = hook
        self.recorder = recorder
        self.socket = None
        self.calls = self._pending_calls()

    def _pending_calls(self):
        """What the main thread runs between two instructions: that is where the work of the program is."""
        import ctypes

        call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)

        @call
        def begin(_):
            self.recorder.begin()
            return 0

        @call
        def stop(_):
            self.recorder.stop()
            return 0

        self.run_in_main = lambda function: ctypes.pythonapi.Py_AddPendingCall(function, None)
        return {"begin": begin, "stop": stop}

    def listen(self):
        self.socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
        self.socket.bind(name_of(os.getpid()))
        self.socket.listen(4)
        _thread.start_new_thread(self._serve, ())

    def after_fork(self):
        """The child has neither the thread nor the name."""
        if self.socket is not None:
            self.socket.close()
            self.socket = None

    def _serve(self):
        while True:
            try:
                fd, _ = self.socket._accept()
            except Exception:  # pylint: disable=broad-except
                return  # the program ends, or this is a child of it
            peer = _socket.socket(fileno=fd)
            try:
                self._answer(peer)
            except Exception as error:  # pylint: disable=broad-except
                self._say(peer, failed=str(error))
            finally:
                peer.close()

    @staticmethod
    def _say(peer, **what):
        import json

        try:
            peer.settimeout(5)
            peer.sendall((json.dumps(what) + "\n").encode())
        except OSError:
            pass

    def _answer(self, peer):
        import json
        import shutil

        _, user, _ = struct.unpack("=iII", peer.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12))
        if user not in (0, os.geteuid()):
            return self._say(peer, failed="only its own user and root may ask")
        peer.settimeout(5)
        asked = json.loads(peer.recv(4096).decode())
        request = Request(self.hook.Window(asked["window"]))
        try:
            self._take(peer, request)
            if request.failure is not None:
                return self._say(peer, failed=request.failure)
            self._say(peer, done=request.paths, steps=getattr(request, "steps", 0))
            peer.settimeout(600)
            peer.recv(1)  # the files were taken
        finally:
            shutil.rmtree(request.folder, ignore_errors=True)

    def _asked_to_stop(self, peer):
        peer.settimeout(_TICK)
        try:
            peer.recv(64)  # a word, or the end of the connection
            return True
        except _socket.timeout:
            return False

    def _take(self, peer, request):
        recorder = self.recorder
        request.failure = recorder.ask(request)
        since = _NOW()
        deadline = since + (_WAIT_FOR_STEP if recorder.has_steps() else _WAIT_WITHOUT)
        told = stopped = False
        ends = None
        while not request.over():
            now = _NOW()
            if request.began and not told:
                told = True
                self._say(peer, began=True)
                ends = now + request.window.length if request.window.length is not None else None
            if not stopped and self._asked_to_stop(peer):
                stopped = True
                if not request.began and recorder.withdraw(request):
                    request.failure = "stopped before it began"
                    return
                self.run_in_main(self.calls["stop"])
            if not request.began and deadline is not None and now > deadline:
                deadline = None
                self.run_in_main(self.calls["begin"])
            # Who marks steps ends at one; this is for those who do not, or no longer.
            if ends is not None and now > ends + (0 if recorder.idle_for() > 1 else _WAIT_FOR_STEP):
                ends = None
                self.run_in_main(self.calls["stop"])
