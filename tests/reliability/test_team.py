#!/usr/bin/env python3
"""`stepscope serve` for a team: its port, its log, its limits, behind a proxy, through ssh.

usage: test_team.py STEPSCOPE
"""
import http.client
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from requests_part import ask, start

PROGRAM = os.path.abspath(sys.argv[1])
TRACE = '{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":5}]}'


class Team(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.trace = self.folder / "trace.json"
        self.trace.write_text(TRACE)

    def serve(self, *words, path=None):
        self.child, self.host, self.port, self.token = start(PROGRAM, *words, str(path or self.trace))
        self.stop_at_the_end()

    def stop_at_the_end(self):
        def stop():
            self.child.terminate()
            self.child.wait()
            self.child.stdout.close()
            self.child.stderr.close()

        self.addCleanup(stop)

    def get(self, path, method="GET", **headers):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
        connection.request(method, path, headers={"X-Stepscope-Token": self.token, "Accept-Encoding": "gzip"} | headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body

    def wait_until_ready(self):
        for _ in range(200):
            if b'"state": "ready"' in self.get("/api/session")[1]:
                return
            time.sleep(0.05)
        self.fail("the profile is not ready after 10 s")

    def test_a_used_port_is_a_sentence(self):
        self.serve()
        second = subprocess.run([PROGRAM, "serve", "--port", str(self.port), str(self.trace)], capture_output=True, text=True,
                                timeout=30, check=False)
        self.assertEqual(second.returncode, 2)
        self.assertIn("another program does already", second.stderr)

    def test_a_nul_in_host_is_refused(self):
        self.serve()
        self.assertEqual(ask(self.host, self.port, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\x00.evil\r\n\r\n"), 400)

    def test_the_log_has_a_line_per_request_without_the_token(self):
        log = self.folder / "access.log"
        self.serve("--log", str(log))
        self.assertEqual(self.get(f"/?token={self.token}")[0], 200)
        self.assertEqual(self.get("/nothing")[0], 404)
        time.sleep(0.1)
        text = log.read_text()
        self.assertNotIn(self.token, text)
        lines = [line.split() for line in text.splitlines()]
        self.assertEqual([line[1:5] for line in lines],
                         [["127.0.0.1", "GET", "/", "200"], ["127.0.0.1", "GET", "/nothing", "404"]])

    def test_one_client_cannot_take_all_connections(self):
        self.serve("--client-connections", "4")
        held = [socket.create_connection((self.host, self.port)) for _ in range(4)]
        time.sleep(0.2)
        head = f"GET /api/session HTTP/1.1\r\nHost: {self.host}\r\n\r\n".encode()
        self.assertEqual(ask(self.host, self.port, head), 503)
        for connection in held:
            connection.close()
        time.sleep(0.2)
        self.assertEqual(self.get("/api/session")[0], 200)

    def test_too_many_requests_are_refused(self):
        self.serve("--client-requests", "2")
        statuses = [self.get("/api/session")[0] for _ in range(20)]
        self.assertEqual(statuses[0], 200)
        self.assertIn(429, statuses)

    def test_below_a_path_behind_a_proxy(self):
        self.serve("--base-path", "/stepscope", "--trusted-proxy", "127.0.0.1", "--log", str(self.folder / "log"))
        proxied = {"Host": "team.example", "X-Forwarded-For": "10.0.0.9, 192.0.2.7", "Origin": "https://team.example"}
        self.assertEqual(self.get("/stepscope/api/session", **proxied)[0], 200)
        self.assertEqual(self.get(f"/stepscope/?token={self.token}", **proxied)[0], 200)
        self.assertEqual(self.get("/stepscope", **proxied)[0], 308)
        self.assertEqual(self.get("/api/session", **proxied)[0], 404)
        self.assertEqual(self.get("/stepscope/api/session", **(proxied | {"Origin": "https://evil.example"}))[0], 403)
        self.assertIn(" 192.0.2.7 GET ", (self.folder / "log").read_text())

    def test_without_a_trusted_proxy_its_headers_mean_nothing(self):
        self.serve("--log", str(self.folder / "log"))
        self.assertEqual(self.get("/api/session", **{"Host": "team.example"})[0], 403)
        self.get("/api/session", **{"X-Forwarded-For": "192.0.2.7"})
        self.assertNotIn("192.0.2.7", (self.folder / "log").read_text())

    def test_a_pipe_is_not_read_twice(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=lambda: pipe.write_text(TRACE))
        writer.start()
        self.serve(path=pipe)
        writer.join()
        self.wait_until_ready()
        status, body = self.get("/api/profiles/0/reload", method="POST")
        self.assertEqual(status, 409)
        self.assertIn(b"only once", body)
        self.assertIn(b'"state": "ready"', self.get("/api/session")[1])

    def test_a_profile_without_memory_is_a_card_and_the_others_go_on(self):
        example = pathlib.Path(__file__).resolve().parents[2] / "examples" / "resnet50_inputbound.pt.trace.json.gz"
        self.child, self.host, self.port, self.token = start(PROGRAM, "--memory-limit", "64M", "--threads", "1",
                                                             str(self.trace), str(example))
        self.stop_at_the_end()
        for _ in range(300):
            state = self.get("/api/session")[1]
            if b'"failed"' in state:
                break
            time.sleep(0.1)
        self.assertIn(b"not enough memory", state)
        self.assertEqual(self.get("/api/profiles/0/report")[0], 200)

    @unittest.skipUnless(shutil.which("ssh") and os.path.exists("/usr/sbin/sshd"), "SKIPPED LOUDLY: no ssh and sshd here")
    def test_through_ssh(self):
        self.serve()
        keys = self.folder
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(keys / name)], check=True)
        shutil.copy(keys / "user.pub", keys / "authorized")
        port, local = free_port(), free_port()
        (keys / "sshd_config").write_text(
            f"Port {port}\nListenAddress 127.0.0.1\nHostKey {keys}/host\nAuthorizedKeysFile {keys}/authorized\n"
            f"StrictModes no\nPidFile {keys}/pid\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\n")
        os.makedirs("/run/sshd", exist_ok=True)
        daemon = subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", str(keys / "sshd_config")], stderr=subprocess.DEVNULL)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.terminate)
        tunnel = None
        for _ in range(50):
            time.sleep(0.1)
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                continue
        tunnel = subprocess.Popen(["ssh", "-N", "-L", f"{local}:127.0.0.1:{self.port}", "-p", str(port), "-i", str(keys / "user"),
                                   "-o", "StrictHostKeyChecking=no", "-o", f"UserKnownHostsFile={keys}/known",
                                   "-o", "IdentitiesOnly=yes", "127.0.0.1"], stderr=subprocess.PIPE)
        self.addCleanup(tunnel.stderr.close)
        self.addCleanup(tunnel.wait)
        self.addCleanup(tunnel.terminate)
        for _ in range(100):
            time.sleep(0.1)
            try:
                self.port = local
                self.assertEqual(self.get("/api/session")[0], 200)
                return
            except OSError:
                continue
        self.fail("nothing comes through the tunnel")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:], verbosity=2)
