"""Captures that the page of `stepscope serve` asks for.

Usage: test_serve.py STEPSCOPE [unittest options]
"""

import json
import subprocess
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

from case import ROOT, STEPSCOPE, Case
from fake_profiler_server import FakeProfilerServer

EXAMPLE = ROOT / "examples/resnet50_inputbound.pt.trace.json.gz"
XSPACE = subprocess.run(["zstd", "-dc", ROOT / "tests/data/h200/jax_mlp.xplane.pb.zst"], check=True, capture_output=True).stdout


class Serve(Case):
    def serve(self, *options):
        process = subprocess.Popen(
            [STEPSCOPE, "serve", *options, EXAMPLE], cwd=self.work, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.addCleanup(self.end, process)
        address, _, token = process.stdout.readline().strip().partition("?token=")
        self.address, self.token = address, token

    def ask(self, path, method="GET", token=None, **parameters):
        query = "?" + urllib.parse.urlencode(parameters) if parameters else ""
        request = urllib.request.Request(
            f"{self.address}api/{path}{query}", method=method, headers={"X-Stepscope-Token": self.token if token is None else token}
        )
        return urllib.request.urlopen(request, timeout=20)

    def status(self, *arguments, **options):
        try:
            with self.ask(*arguments, **options) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            with error:
                return error.code

    def states(self):
        """The states of the capture as the page gets them, until it has ended."""
        with self.ask("capture/events") as events:
            for line in events:
                if line.startswith(b"data: "):
                    state = json.loads(line[6:])
                    yield state
                    if state["state"] in ("done", "failed"):
                        return

    def test_a_capture_becomes_a_profile(self):
        self.serve()
        with FakeProfilerServer(XSPACE) as server:
            self.assertEqual(self.status("capture", "POST", target=server.address, **{"for": "600ms"}), 202)
            self.assertEqual(self.status("capture", "POST", target=server.address), 409)
            states = list(self.states())
        self.assertTrue(any("collecting from" in state["sentence"] for state in states), states)
        self.assertEqual((states[-1]["state"], states[-1]["profile"]), ("done", 1))
        for _ in range(200):
            with self.ask("session") as answer:
                profile = json.load(answer)["profiles"][1]
            if profile["state"] == "ready":
                break
            time.sleep(0.05)
        self.assertEqual(profile["state"], "ready")
        self.assertEqual(len(list(self.work.glob("capture_*/*.xplane.pb"))), 1)

    def test_the_end_keeps_what_there_is(self):
        self.serve()
        with FakeProfilerServer(XSPACE) as server:
            self.status("capture", "POST", target=server.address, **{"for": "60s"})
            while not server.options:
                time.sleep(0.01)
            self.assertEqual(self.status("capture/stop", "POST"), 202)
            self.assertEqual(list(self.states())[-1]["state"], "done")

    def test_a_failure_says_what_to_do(self):
        self.serve()
        self.status("capture", "POST", target="127.0.0.1:1")
        last = list(self.states())[-1]
        self.assertEqual(last["state"], "failed")
        self.assertIn("nothing listens on that port", last["sentence"])
        self.assertIn("start the server in the program", last["next"])
        self.assertEqual(list(self.work.iterdir()), [])

    def test_only_with_the_token_and_where_it_is_wanted(self):
        self.serve()
        self.assertEqual(self.status("capture/targets"), 200)
        for path, method in (("capture/targets", "GET"), ("capture", "POST"), ("capture/stop", "POST"), ("capture/events", "GET")):
            self.assertEqual(self.status(path, method, token="wrong"), 403)
        self.assertEqual(self.status("capture", "GET", target="localhost:1"), 405)
        self.assertEqual(self.status("capture", "POST", target="nonsense"), 400)
        self.assertEqual(self.status("capture", "POST", target="localhost:1", **{"for": "soon"}), 400)
        self.serve("--no-capture")
        self.assertEqual(self.status("capture/targets"), 404)
        self.serve("--no-token")
        self.assertEqual(self.status("capture", "POST", target="localhost:1"), 404)


if __name__ == "__main__":
    unittest.main(verbosity=1)
