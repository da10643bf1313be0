"""`stepscope tune` on programs whose answer is known. STEPSCOPE names the program under test."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

STEPSCOPE = os.environ["STEPSCOPE"]
FAKES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fakes")


class TuneTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def script(self, text):
        path = os.path.join(self.folder, "program.py")
        with open(path, "w") as file:
            file.write(textwrap.dedent(text))
        return path

    def tune(self, script, *options, code=0):
        done = subprocess.run([STEPSCOPE, "tune", "--json", *options, "--", sys.executable, script],
                              capture_output=True, text=True, timeout=300, cwd=self.folder,
                              env=dict(os.environ, PYTHONPATH=FAKES, PYTHONDONTWRITEBYTECODE="1"))
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout) if code == 0 else done.stderr

    # 0.8 s divided by the number of threads, but each thread costs 0.08 s: 1: 0.88, 2: 0.56, 8: 0.74.
    KNOWN = """
        import os, time
        threads = int(os.environ.get("POOL", "1"))
        time.sleep(0.8 / threads + 0.08 * threads)
    """

    def test_the_best_thread_count_is_found(self):
        tuned = self.tune(self.script(self.KNOWN), "--try", "POOL=2,8")
        self.assertEqual(tuned["metric"], "run")
        self.assertEqual(tuned["settings"][tuned["best"]]["variables"], {"POOL": "2"})
        self.assertEqual(tuned["settings"][1]["result"], "faster")
        self.assertLess(tuned["settings"][1]["q"], 0.05)
        self.assertEqual(len(tuned["settings"][1]["runs"]), 5)

    def test_a_variable_without_effect_makes_no_difference(self):
        # By its steps: the median of many holds on a busy machine, where the start of Python takes as long as it likes.
        tuned = self.tune(self.script("""
            import time, torch
            optimizer = torch.optim.SGD()
            for _ in range(40):
                time.sleep(0.02)
                optimizer.step()
        """), "--try", "NOTHING=1", "--threshold", "30")
        self.assertEqual(tuned["metric"], "step")
        self.assertEqual(tuned["settings"][1]["result"], "same")
        self.assertIsNone(tuned["best"])

    def test_a_drifting_machine_decides_nothing(self):
        script = self.script("""
            import os, time
            count = len(open("runs").read()) if os.path.exists("runs") else 0
            open("runs", "a").write("x")
            time.sleep(0.1 + 0.03 * count)
        """)
        tuned = self.tune(script, "--try", "NOTHING=1")
        self.assertIsNone(tuned["best"])
        self.assertNotEqual(tuned["settings"][1]["result"], "slower")
        self.assertGreater(tuned["drift"], 0.3)

    def test_a_program_that_sets_the_variable_itself_is_overruled(self):
        script = self.script("""
            import os, time
            os.environ["POOL"] = "1"
            time.sleep(0.6 / int(os.environ["POOL"]))
        """)
        tuned = self.tune(script, "--try", "POOL=4")
        self.assertEqual(tuned["settings"][1]["result"], "faster")
        self.assertEqual(tuned["settings"][1]["runs"][0]["overruled"], {"POOL": "1"})

    def test_a_setting_that_fails_is_said_and_not_repeated(self):
        script = self.script("""
            import os, sys, time
            time.sleep(0.05)
            sys.exit("no such pool" if os.environ.get("POOL") == "bad" else 0)
        """)
        tuned = self.tune(script, "--try", "POOL=bad")
        self.assertEqual(tuned["settings"][1]["result"], "failed")
        self.assertEqual(len(tuned["settings"][1]["runs"]), 1)

    def test_a_program_that_fails_as_it_is_ends_the_verb(self):
        errors = self.tune(self.script("import sys; sys.exit('broken')"), "--try", "A=1", code=1)
        self.assertIn("fails as it is", errors)
        self.assertIn("broken", errors)

    def test_wrong_usage(self):
        self.assertIn("OMP_NUM_THREADS=1,2,4", self.tune(self.script(""), "--try", "POOL", code=2))


if __name__ == "__main__":
    unittest.main()
