"""A profiler server as TensorFlow and JAX have it, or one of the things people find in its place.

HTTP/2 with gRPC's bytes in it, standard library only. Headers of requests are not decoded: the message tells which method
was meant (Profile has options in field 4, Terminate a text in field 1, Monitor a number there).
"""

import socket
import struct
import threading
import time

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST, SETTINGS, PING, GOAWAY, WINDOW = 0, 1, 3, 4, 6, 7, 8
END_STREAM, END_HEADERS, ACK = 1, 4, 1


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def length_field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def fields(message):
    """{number: last value} of a message; bytes or int."""
    out, at = {}, 0

    def number():
        nonlocal at
        value, shift = 0, 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        tag = number()
        if tag & 7 == 0:
            out[tag >> 3] = number()
        elif tag & 7 == 2:
            size = number()
            out[tag >> 3] = message[at : at + size]
            at += size
        else:
            raise ValueError(f"wire type {tag & 7}")
    return out


def literal(name, value):
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


class FakeProfilerServer:
    """Answers with `xspace` after the duration that a Profile call asks for. `behaviour` is what goes wrong."""

    def __init__(self, xspace=b"", behaviour="fine", busy_answers=0):
        self.xspace, self.behaviour, self.busy_answers = xspace, behaviour, busy_answers
        self.requests = []  # (arrival, fields of the message)
        self.options = []  # fields of opts
        self.terminated = []  # session ids
        self.cancelled = 0  # calls whose client went away
        self.stop = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection:
            try:
                if self.behaviour == "http1":
                    connection.recv(4096)
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                elif self.behaviour == "ssh":
                    connection.sendall(b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n")
                    connection.recv(4096)
                elif self.behaviour == "closes":
                    connection.recv(4096)
                else:
                    Connection(self, connection).run()
            except (ConnectionError, OSError):
                pass


class Connection:
    def __init__(self, server, connection):
        self.server, self.socket = server, connection
        self.windows = {0: 65535}
        self.first_window = 65535
        self.lock = threading.Condition()
        self.bodies = {}
        self.open = True

    def send(self, kind, flags, stream, payload=b""):
        self.socket.sendall(struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload)

    def read(self, size):
        out = b""
        while len(out) < size:
            part = self.socket.recv(size - len(out))
            if not part:
                raise ConnectionError
            out += part
        return out

    def run(self):
        if self.read(len(PREFACE)) != PREFACE:
            return
        self.send(SETTINGS, 0, 0)
        try:
            while True:
                self.frame()
        finally:
            with self.lock:
                self.open = False
                self.lock.notify_all()

    def frame(self):
        head = self.read(9)
        size, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
        stream = int.from_bytes(head[5:], "big")
        payload = self.read(size)
        if kind == SETTINGS and not flags & ACK:
            for at in range(0, size, 6):
                name, value = struct.unpack(">HI", payload[at : at + 6])
                if name == 4:
                    self.first_window = value
            self.send(SETTINGS, ACK, 0)
        elif kind == PING and not flags & ACK:
            self.send(PING, ACK, 0, payload)
        elif kind == WINDOW:
            with self.lock:
                start = self.first_window if stream else 65535
                self.windows[stream] = self.windows.get(stream, start) + int.from_bytes(payload, "big")
                self.lock.notify_all()
        elif kind == HEADERS:
            self.bodies[stream] = b""
        elif kind == DATA:
            self.bodies[stream] += payload
        if kind in (HEADERS, DATA) and flags & END_STREAM:
            threading.Thread(target=self.answer, args=(stream, self.bodies.pop(stream)), daemon=True).start()

    def data(self, stream, data):
        sent = 0
        while sent < len(data):
            with self.lock:
                self.windows.setdefault(stream, self.first_window)
                while self.open and (self.windows[0] <= 0 or self.windows[stream] <= 0):
                    self.lock.wait()
                if not self.open:
                    raise ConnectionError
                size = min(16384, len(data) - sent, self.windows[0], self.windows[stream])
                self.windows[0] -= size
                self.windows[stream] -= size
            self.send(DATA, 0, stream, data[sent : sent + size])
            sent += size

    def status(self, stream, code, message=b"", first=False):
        """The trailers, or headers and nothing else."""
        block = b"\x88" + literal(b"content-type", b"application/grpc") if first else b""
        block += literal(b"grpc-status", str(code).encode())
        if message:
            block += literal(b"grpc-message", message)
        self.send(HEADERS, END_HEADERS | END_STREAM, stream, block)

    def reply(self, stream, message):
        """message: bytes, or an iterable of pieces with its length first."""
        self.send(HEADERS, END_HEADERS, stream, b"\x88" + literal(b"content-type", b"application/grpc"))
        self.data(stream, b"\0" + struct.pack(">I", len(message)) + message)
        self.status(stream, 0)

    def answer(self, stream, body):
        try:
            self.answer_to(stream, body)
        except OSError:
            self.server.cancelled += 1

    def answer_to(self, stream, body):
        server = self.server
        compressed, size = body[0], int.from_bytes(body[1:5], "big")
        assert compressed == 0 and size == len(body) - 5, body[:5]
        message = fields(body[5:])
        server.requests.append((time.time(), message))
        if 4 in message:
            self.profile(stream, message)
        elif isinstance(message.get(1), bytes):
            server.terminated.append(message[1])
            server.stop.set()
            self.reply(stream, b"")
        elif server.behaviour == "monitor":
            result = b"\x11" + struct.pack("<d", 12.5) + b"\x21" + struct.pack("<d", 101.25)
            self.reply(stream, length_field(10, result))
        else:
            self.status(stream, 12, b"unimplemented.", first=True)

    def profile(self, stream, message):
        server, behaviour = self.server, self.server.behaviour
        options = fields(message[4])
        server.options.append(options)
        if server.busy_answers > 0:
            server.busy_answers -= 1
            return self.status(stream, 13, b"Another profiling session active%2E", first=True)
        if behaviour == "unimplemented":
            return self.status(stream, 12, b"", first=True)
        if behaviour == "http404":
            return self.send(HEADERS, END_HEADERS | END_STREAM, stream, b"\x8d")
        if behaviour == "dies":
            self.socket.shutdown(socket.SHUT_RDWR)
            return None
        late = options.get(8, 0) / 1e9 - time.time()
        server.stop.wait(max(late, 0) + options[9] / 1000)
        if behaviour == "old":
            if 5 in message:
                import os

                folder = os.path.join(message[5].decode(), message[6].decode())
                os.makedirs(folder)
                with open(os.path.join(folder, message[7].decode().replace(":", "_") + ".xplane.pb"), "wb") as file:
                    file.write(server.xspace)
            return self.reply(stream, b"")
        if behaviour == "old_elsewhere":
            return self.reply(stream, b"")
        if behaviour == "no_message":
            return self.reply(stream, b"\xff" * 30)
        if behaviour in ("cut", "cut_of_3_gib"):
            answer = length_field(8, server.xspace)
            size = len(answer) if behaviour == "cut" else 3 << 30
            self.send(HEADERS, END_HEADERS, stream, b"\x88" + literal(b"content-type", b"application/grpc"))
            self.data(stream, b"\0" + struct.pack(">I", size) + answer[: len(answer) // 2])
            time.sleep(0.2)  # so that the client has taken what came
            self.socket.shutdown(socket.SHUT_RDWR)
            return None
        empty = varint(7 << 3) + b"\x01" if behaviour == "empty" else b""
        return self.reply(stream, empty + length_field(8, server.xspace))
