"""The library that CUDA and NVTX load, in a program that stands in for a CUDA program (native/): STEPSCOPE names the
program under test, FAKE_CUDA the folder of the stand-ins. The real CUPTI runs in bench/device."""

import json
import os
import subprocess
import tempfile
import unittest

STEPSCOPE = os.environ["STEPSCOPE"]
FAKE = os.environ["FAKE_CUDA"]


class NativeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = os.path.join(folder.name, "run")

    def record(self, *arguments, options=(), env=None):
        command = [STEPSCOPE, "record", "--out", self.out, "--report", "none", *options, "--",
                   os.path.join(FAKE, "fake_cuda_program"), *arguments]
        environment = dict(os.environ, LD_LIBRARY_PATH=FAKE, STEPSCOPE_CALLS_AFTER="0", **(env or {}))
        return subprocess.run(command, env=environment, capture_output=True, timeout=120)

    def report(self):
        done = subprocess.run([STEPSCOPE, "report", "--json", self.out], capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def counts(self, report):
        return {row["name"]: row["calls"] for row in report["kernels"]}

    def missing(self, report):
        return [example["text"] for entry in report["quality"] if entry["code"] == "not-recorded" for example in entry["examples"]]

    def test_kernels_copies_calls_and_ranges_are_in_the_report(self):
        done = self.record("400")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, b"ran 400 steps\n")
        report = self.report()
        counts = self.counts(report)
        self.assertEqual(counts["matmul_kernel"], 400)
        self.assertEqual(counts["relu_kernel"], 400)
        self.assertEqual(report["profile"]["devices"][0]["name"], "Fake H200")
        # 0.7 ms each of about 2 ms a step.
        kernel = next(row for row in report["kernels"] if row["name"] == "matmul_kernel")
        self.assertEqual(kernel["total_ns"], 400 * 700_000)
        # NVTX marks the steps.
        self.assertGreaterEqual(report["steps"]["count"], 390)
        self.assertEqual(report["steps"]["source"], "annotation step")

    def test_getters_are_switched_off(self):
        self.record("20")
        with open(next(os.path.join(self.out, name) for name in os.listdir(self.out) if name.endswith("-gpu.ssrec")), "rb") as file:
            content = file.read()
        self.assertNotIn(b"cudaGetDevice", content)

    def test_what_was_flushed_survives_every_end(self):
        for end, code in (("_exit", 4), ("abort", 134), ("kill", 137)):
            with self.subTest(end):
                self.out += end
                done = self.record("50", end)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertEqual(self.counts(self.report())["relu_kernel"], 50)

    def test_drops_are_said(self):
        self.record("20", env={"FAKE_CUPTI_DROPS": "1"})
        self.assertTrue(any("dropped" in text for text in self.missing(self.report())))

    def test_another_tool_that_has_cupti_is_named_and_the_program_runs(self):
        done = self.record("20", env={"FAKE_CUPTI_TAKEN": "1"})
        self.assertEqual(done.returncode, 0)
        self.assertTrue(any("another tool" in text for text in self.missing(self.report())))

    def test_an_injection_of_another_tool_is_left_alone(self):
        done = self.record("20", env={"CUDA_INJECTION64_PATH": "/nonexistent/other.so"})
        self.assertEqual(done.returncode, 0)
        self.assertFalse(any(name.endswith("-gpu.ssrec") for name in os.listdir(self.out)))


if __name__ == "__main__":
    unittest.main()
