"""Many clients at once against `stepscope serve`, some of them hostile."""
import random
import socket
import subprocess
import threading
import time
import urllib.parse

HOSTILE = [
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\x00evil\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"GET /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
    b"GET /../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET /%00 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"POST /api/profiles/0/reload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"GET /" + b"a" * 70000 + b" HTTP/1.1\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01",
    b"GET / HTTP/9.9\r\n\r\n",
    b"\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 9000 + b"\r\n",
]


def start(program, *words):
    child = subprocess.Popen([program, "serve", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    address = urllib.parse.urlsplit(child.stdout.readline().strip())
    return child, address.hostname, address.port, address.query.removeprefix("token=")


def ask(host, port, head, whole=True):
    """The status of the answer; 0 when the server closed without one."""
    with socket.create_connection((host, port), timeout=30) as connection:
        connection.sendall(head)
        if not whole:
            return 0
        got = b""
        while b"\r\n" not in got:
            part = connection.recv(65536)
            if not part:
                return 0
            got += part
        while connection.recv(65536):
            pass
    return int(got.split(b" ", 2)[1])


def flood(program, profile, rounds, breach):
    child, host, port, token = start(program, "--client-connections", "0", "--client-requests", "0", profile)
    counts = {}
    lock = threading.Lock()

    def client(seed):
        chance = random.Random(seed)
        for _ in range(rounds):
            hostile = chance.random() < 0.3
            path = chance.choice(["/api/session", "/api/profiles/0/report", "/api/profiles/0/timeline", "/api/profiles/99/report",
                                  "/", f"/?token={token}", "/app.js", "/api/profiles/0/traces/0/tiles?x=%ff&line=-1"])
            head = chance.choice(HOSTILE) if hostile else (
                f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nX-Stepscope-Token: {token}\r\n"
                "Accept-Encoding: gzip\r\nConnection: close\r\n\r\n").encode()
            try:
                status = ask(host, port, head, whole=chance.random() > 0.05)
            except OSError:
                status = 0
            with lock:
                counts[status] = counts.get(status, 0) + 1
            if not hostile and status >= 500 and status != 503:
                breach(f"{status} for {path}")
            if hostile and status == 200:
                breach(f"a hostile head got 200: {head[:80]!r}")

    threads = [threading.Thread(target=client, args=(seed,)) for seed in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if child.poll() is not None:
        breach(f"the server ended: {child.returncode}")
        return "the server ended"
    time.sleep(0.2)
    status = ask(host, port, f"GET /api/session HTTP/1.1\r\nHost: {host}\r\nX-Stepscope-Token: {token}\r\nConnection: close\r\n\r\n".encode())
    if status != 200:
        breach(f"the server answers {status} after the flood")
    child.terminate()
    child.wait()
    said = ", ".join(f"{n} × {status or 'closed'}" for status, n in sorted(counts.items()))
    return f"{sum(counts.values())} requests of 64 clients, a third of them hostile ({said})"
