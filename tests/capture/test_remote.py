"""`stepscope serve --remote` and `stepscope capture --via` through an sshd on this machine.

Usage: test_remote.py STEPSCOPE [unittest options]
"""

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest
import urllib.request

from case import ROOT, STEPSCOPE, Case
from local_sshd import SSHD, LocalSshd

EXAMPLE = ROOT / "examples/resnet50_inputbound.pt.trace.json.gz"


class RemoteCase(Case):
    def setUp(self):
        super().setUp()
        if not os.path.exists(SSHD) or not shutil.which("ssh"):
            self.skipTest("openssh-server and openssh-client are not installed")
        self.sshd = LocalSshd(self.work / "sshd")
        self.addCleanup(self.sshd.stop)
        self.there = ["--ssh", self.sshd.ssh, "--remote-program", STEPSCOPE]


class Serves(RemoteCase):
    def serve(self, url):
        process = subprocess.Popen(
            [STEPSCOPE, "serve", *self.there, "--remote", url], cwd=self.work, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(self.end, process)
        return process

    def servers(self):
        """The servers that were started by ssh."""
        found = subprocess.run(["pgrep", "-f", "serve --end-with-stdin"], capture_output=True, text=True).stdout
        return {int(pid) for pid in found.split()}

    def test_the_page_is_here_and_ends_with_ctrl_c(self):
        before = self.servers()
        shutil.copy(EXAMPLE, self.work / "a file's name.json.gz")
        process = self.serve(f"ssh://node{self.work}/a file's name.json.gz")
        address = process.stdout.readline().strip()
        self.assertTrue(address.startswith("http://127.0.0.1:"), address or process.stderr.read())
        request = urllib.request.Request(address, headers={"Accept-Encoding": "gzip"})
        with urllib.request.urlopen(request, timeout=20) as page:
            self.assertIn("text/html", page.headers["Content-Type"])
        self.assertGreater(len(self.servers() - before), 0)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, 0)
        for _ in range(100):
            if not self.servers() - before:
                break
            time.sleep(0.05)
        self.assertEqual(self.servers() - before, set())

    def test_nothing_there(self):
        process = self.serve("ssh://node/no/such/file")
        _, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 1)
        self.assertIn("No such file", err)

    def test_no_program_there(self):
        self.there = ["--ssh", self.sshd.ssh, "--remote-program", "/no/stepscope"]
        process = self.serve("ssh://node/tmp")
        _, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 1)
        self.assertIn("has no program /no/stepscope", err)
        self.assertIn("--remote-program", err)

    def test_no_machine_there(self):
        self.sshd.process.terminate()
        self.sshd.process.wait()
        process = self.serve("ssh://node/tmp")
        _, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 1)
        self.assertIn("ssh did not reach node", err)

    def test_wrong_words(self):
        for url, says in (("node/x", "does not begin with ssh://"), ("ssh://node", "the path is missing")):
            _, err = self.serve(url).communicate(timeout=20)
            self.assertIn(says, err)


class Captures(RemoteCase):
    def setUp(self):
        super().setUp()
        self.sockets = self.work / "s"
        self.sockets.mkdir()
        self.profile = self.work / "profile.json"
        self.profile.write_bytes(gzip.decompress(EXAMPLE.read_bytes()))
        # sshd hands no environment on; the daemon finds the folder in that of the process.
        self.process = subprocess.Popen(
            [sys.executable, ROOT / "tests/capture/fake_kineto.py", self.sockets, self.profile, "fine", "0.5"],
            env=os.environ | {"KINETO_USE_DAEMON": "1", "KINETO_IPC_SOCKET_DIR": str(self.sockets), "RANK": "3"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(self.end, self.process)
        self.assertEqual(self.process.stdout.readline(), "ready\n")

    def test_the_file_comes_here_and_the_report_follows(self):
        out, _ = self.capture(*self.there, "--via", "ssh:node", "--for", "200ms", "--json", "--out", "job", f"pid:{self.process.pid}")
        self.assertIn("steps", json.loads(out))
        (file,) = (self.work / "job").iterdir()
        self.assertEqual(gzip.decompress(file.read_bytes()), self.profile.read_bytes())

    def test_the_list_of_the_other_machine(self):
        out, _ = self.capture(*self.there, "--via", "ssh:node", "--list", "--json")
        self.assertIn(f"pid:{self.process.pid}", {process["target"] for process in json.loads(out)["processes"]})

    def test_a_failure_there(self):
        _, err = self.capture(*self.there, "--via", "ssh:node", "--out", "job", "pid:999999999", code=1)
        self.assertIn("there is no process 999999999 here", err)
        self.assertFalse((self.work / "job").exists())

    def test_ctrl_c(self):
        capture = self.start(*self.there, "--via", "ssh:node", "--for", "60s", "--out", "job", f"pid:{self.process.pid}")
        size = "0"
        while size == "0":  # until it has the request
            size = self.process.stdout.readline().split()[-1]
        capture.send_signal(signal.SIGINT)
        _, err = capture.communicate(timeout=30)
        self.assertEqual(capture.returncode, 1, err)
        self.assertIn("it may still be written", err)
        self.assertNotIn("tar:", err)
        self.assertFalse((self.sockets / "dynolog").exists())


if __name__ == "__main__":
    unittest.main(verbosity=1)
