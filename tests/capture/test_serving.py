"""`stepscope capture vllm://…` and `sglang://…` against fake servers.

Usage: test_serving.py STEPSCOPE [unittest options]
"""

import json
import os
import signal
import subprocess
import sys
import time
import unittest

from case import ROOT, Case

EXAMPLE = ROOT / "examples/resnet50_inputbound.pt.trace.json.gz"


class Serving(Case):
    def server(self, kind, folder="", *behaviour, **variables):
        arguments = []
        if kind == "vllm" and folder and not variables:
            arguments = ["--profiler-config", json.dumps({"profiler": "torch", "torch_profiler_dir": str(folder)})]
        process = subprocess.Popen(
            [sys.executable, ROOT / "tests/capture/fake_serving.py", kind, EXAMPLE, ",".join(behaviour), *arguments],
            env=os.environ | variables, stdout=subprocess.PIPE, text=True,
        )
        self.addCleanup(self.end, process)
        self.port = int(process.stdout.readline())
        return process

    def said(self, process):
        process.send_signal(signal.SIGTERM)
        return process.communicate(timeout=10)[0].split()

    def test_vllm_by_its_command_line(self):
        folder = self.work / "profiles"
        folder.mkdir()
        (folder / "old.pt.trace.json.gz").write_bytes(EXAMPLE.read_bytes())
        os.utime(folder / "old.pt.trace.json.gz", (1, 1))
        server = self.server("vllm", folder)
        begin = time.monotonic()
        out, _ = self.capture("--for", "500ms", "--json", "--out", "job", f"vllm://127.0.0.1:{self.port}")
        self.assertGreater(time.monotonic() - begin, 0.5)
        names = sorted(file.name for file in (self.work / "job").iterdir())
        self.assertEqual(names, ["worker0.pt.trace.json.gz", "worker1.pt.trace.json.gz"])
        self.assertIn("steps", out)
        self.assertEqual(self.said(server), ["/start_profile", "/stop_profile"])

    def test_vllm_by_its_environment(self):
        folder = self.work / "profiles"
        folder.mkdir()
        self.server("vllm", folder, VLLM_TORCH_PROFILER_DIR=str(folder))
        self.capture("--for", "50ms", "--no-report", "--out", "job", f"vllm://localhost:{self.port}")
        self.assertEqual(len(list((self.work / "job").iterdir())), 2)

    def test_until_requests_are_answered(self):
        server = self.server("vllm", self.work)
        self.capture("--requests", "5", "--no-report", "--out", "job", f"vllm://127.0.0.1:{self.port}")
        said = self.said(server)
        self.assertEqual(said[-1], "/stop_profile")
        self.assertGreaterEqual(said.count("/metrics"), 5)

    def test_sglang_writes_into_our_folder(self):
        server = self.server("sglang")
        self.capture("--for", "50ms", "--no-report", "--out", "job", f"sglang://127.0.0.1:{self.port}")
        self.assertEqual(len(list((self.work / "job").iterdir())), 2)
        self.assertEqual(self.said(server), ["/start_profile", "/stop_profile"])

    def test_sglang_steps_stop_by_themselves(self):
        server = self.server("sglang")
        self.capture("--steps", "3", "--no-report", "--out", "job", f"sglang://127.0.0.1:{self.port}")
        self.assertEqual(self.said(server), ["/start_profile", "num_steps=3"])

    def test_ctrl_c_stops_the_profiler_and_keeps_the_files(self):
        server = self.server("vllm", self.work)
        process = self.start("--for", "60s", "--no-report", "--out", "job", f"vllm://127.0.0.1:{self.port}")
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(self.said(server), ["/start_profile", "/stop_profile"])

    def test_failures(self):
        self.server("vllm")
        self.refused(f"vllm://127.0.0.1:{self.port}", says="nothing here says where the server writes its profiles")
        self.server("vllm", "", "disabled")
        self.refused("--from", ".", f"vllm://127.0.0.1:{self.port}", says="no vLLM server with its profiler enabled")
        self.server("sglang", "", "fails")
        self.refused(f"sglang://127.0.0.1:{self.port}", says="SGLang answers HTTP 500")
        self.refused("--from", ".", "vllm://127.0.0.1:1", says="nothing listens on that port")
        self.refused("vllm://no-such-machine.invalid:80", says="nothing here says where")
        self.refused("--from", "/no/such", "vllm://127.0.0.1:1", says="the server's folder for profiles is not here")


if __name__ == "__main__":
    unittest.main(verbosity=1)
