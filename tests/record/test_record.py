"""`stepscope record` on programs that end in every way a program can. STEPSCOPE names the program under test.

Python's own unittest: the recorder is tested on plain Python and on tiny modules that stand in for the frameworks
(fakes/). Real frameworks run in `make peers`."""

import json
import os
import pty
import resource
import select
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

STEPSCOPE = os.environ["STEPSCOPE"]
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"  # a full disk would leave half of one beside the fakes, for every later test
FAKES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fakes")
HOOK = os.path.join(os.path.dirname(FAKES), "..", "..", "src", "record", "hook", "_stepscope_hook.py")

TRAIN = """
    import time, torch
    optimizer = torch.optim.SGD()
    for batch in torch.utils.data.DataLoader(range({steps})):
        time.sleep({sleep})
        optimizer.step()
"""


class RecordTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.out = os.path.join(self.folder, "run")

    def script(self, text, name="program.py"):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(textwrap.dedent(text))
        return path

    def record(self, *command, options=(), env=None, **kwargs):
        words = [STEPSCOPE, "record", "--out", self.out, "--report", "none", *options, "--", *command]
        environment = dict(os.environ, PYTHONPATH=FAKES, **(env or {}))
        return subprocess.run(words, env=environment, cwd=kwargs.pop("cwd", self.folder), capture_output=True,
                              timeout=120, **kwargs)

    def report(self, path=None):
        done = subprocess.run([STEPSCOPE, "report", "--json", path or self.out], capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def quality(self, report, code):
        return [entry for entry in report["quality"] if entry["code"] == code]

    # ---- a plain program

    def test_one_second_of_a_plain_script_names_functions_and_lines(self):
        path = self.script("""
            import time
            def busy(until):
                total = 0
                while time.monotonic() < until:
                    total += sum(range(200))
                return total
            def main():
                busy(time.monotonic() + 1.0)
            main()
        """)
        done = self.record(sys.executable, path)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.report()
        lines = {(row["function"], row["line"]): row for row in report["python"] if row["file"] == path}
        # Of 100 samples a second a loaded machine may lose some; what is there is on the lines of the loop.
        busy = sum(row["self_ns"] for (function, line), row in lines.items() if function == "busy" and line in (5, 6))
        total = sum(row["self_ns"] for row in lines.values())
        self.assertGreater(busy, 0.6e9)
        self.assertGreater(busy, 0.9 * total)
        main = lines[("main", 9)]
        self.assertGreaterEqual(main["total_ns"], busy)
        self.assertEqual(main["self_ns"], 0)
        self.assertEqual(report["recording"]["exit_code"], 0)
        self.assertEqual(report["recording"]["program"], os.path.basename(sys.executable) + " program.py")
        self.assertIn("process CPU", {row["name"] for row in report["counters"]})

    def test_output_passes_byte_for_byte(self):
        path = self.script(r"""
            import sys
            data = sys.stdin.buffer.read()
            sys.stdout.buffer.write(data[::-1] + bytes(range(256)) + b"\r\n\0")
            sys.stderr.buffer.write(b"err\xff\0")
        """)
        done = self.record(sys.executable, path, options=["--quiet"], input=b"abc\0\xff")
        self.assertEqual(done.stdout, b"\xff\0cba" + bytes(range(256)) + b"\r\n\0")
        self.assertEqual(done.stderr, b"err\xff\0")

    def test_the_profiler_prints_nothing_that_the_program_would_not(self):
        show = [sys.executable, "-c", "import os; print(os.environ['KINETO_LOG_LEVEL'])"]
        self.assertEqual(self.record(*show).stdout, b"99\n")
        self.out += "-own"
        self.assertEqual(self.record(*show, env={"KINETO_LOG_LEVEL": "1"}).stdout, b"1\n")

    def test_the_report_goes_to_standard_error(self):
        path = self.script("import time\ntime.sleep(0.3)\nprint('out')")
        done = self.record(sys.executable, path, options=["--report", "text"])
        self.assertEqual(done.stdout, b"out\n")
        self.assertIn(b"recorded in", done.stderr)
        self.assertIn(b"program.py", done.stderr)

    def test_a_program_that_is_no_python(self):
        done = self.record("sh", "-c", "sleep 0.4; exit 7")
        self.assertEqual(done.returncode, 7)
        report = self.report()
        self.assertEqual(report["recording"]["exit_code"], 7)
        self.assertEqual(report["python"], [])

    def test_secrets_stay_outside(self):
        path = self.script("import time\ntime.sleep(0.3)")
        self.record(sys.executable, path, "--token=s3cr3t-argument", env={"API_KEY": "s3cr3t-variable"})
        for name in os.listdir(self.out):
            with open(os.path.join(self.out, name), "rb") as file:
                self.assertNotIn(b"s3cr3t", file.read(), name)

    # ---- how programs end

    def test_exit_codes(self):
        for code in (0, 3, 255):
            self.out = os.path.join(self.folder, "exit%d" % code)
            self.assertEqual(self.record(sys.executable, "-c", "import sys; sys.exit(%d)" % code).returncode, code)

    def test_no_such_program(self):
        done = self.record("no-such-program-anywhere")
        self.assertEqual(done.returncode, 127)
        self.assertIn(b"no-such-program-anywhere", done.stderr)
        self.assertFalse(os.path.exists(self.out))
        self.assertEqual(self.record("/etc/passwd").returncode, 126)

    def died(self, text, number):
        done = self.record(sys.executable, self.script(text))
        self.assertEqual(done.returncode, 128 + number, done.stderr)
        report = self.report()
        self.assertEqual(report["recording"]["signal"], number)
        self.assertIn("signal %d" % number, self.quality(report, "program-died")[0]["sentence"])
        return report

    def test_kill_9(self):
        report = self.died("""
            import os, time
            def before_the_end():
                time.sleep(0.6)
            before_the_end()
            os.kill(os.getpid(), 9)
        """, signal.SIGKILL)
        self.assertIn("before_the_end", {row["function"] for row in report["python"]})

    def test_segfault(self):
        self.died("import ctypes, time\ntime.sleep(0.3)\nctypes.string_at(0)", signal.SIGSEGV)

    def test_out_of_memory(self):
        done = self.record(sys.executable, self.script("""
            import resource, time
            def hoard():
                kept = []
                while True:
                    kept.append(bytearray(50_000_000))
                    time.sleep(0.02)
            resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, 1_500_000_000))
            hoard()
        """))
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"MemoryError", done.stderr)
        report = self.report()
        self.assertIn("hoard", {row["function"] for row in report["python"]})
        self.assertIn("exit code 1", self.quality(report, "program-died")[0]["sentence"])

    def test_the_recorder_is_killed_too(self):
        path = self.script("import time\ndef wait():\n  time.sleep(30)\nwait()")
        words = [STEPSCOPE, "record", "--out", self.out, "--", sys.executable, path]
        process = subprocess.Popen(words, stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(1.5)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        report = self.report()
        self.assertIsNone(report["recording"]["exit_code"])
        self.assertIn("no end", self.quality(report, "program-died")[0]["sentence"])
        self.assertIn("wait", {row["function"] for row in report["python"]})

    def test_ctrl_c_reaches_the_program_once(self):
        path = self.script("""
            import time
            try:
                print("ready", flush=True)
                time.sleep(30)
            except KeyboardInterrupt:
                try:
                    time.sleep(0.5)
                    print("cleaned up", flush=True)
                except KeyboardInterrupt:
                    print("twice", flush=True)
                raise SystemExit(5)
        """)
        try:
            pid, terminal = pty.fork()
        except OSError as error:
            self.skipTest("no pseudo-terminal here: %s" % error)  # a container may come without
        if pid == 0:
            os.execv(STEPSCOPE, [STEPSCOPE, "record", "--out", self.out, "--quiet", "--", sys.executable, path])
        seen = b""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if not select.select([terminal], [], [], 1)[0]:
                continue
            try:
                seen += os.read(terminal, 4096)
            except OSError:
                break
            if b"ready" in seen and b"^C" not in seen and b"cleaned" not in seen:
                os.write(terminal, b"\x03")
        _, status = os.waitpid(pid, 0)
        self.assertIn(b"cleaned up", seen)
        self.assertNotIn(b"twice", seen)
        self.assertEqual(os.WEXITSTATUS(status), 5)

    def test_sigterm_is_passed_on(self):
        path = self.script("import signal, sys, time\nsignal.signal(15, lambda *_: sys.exit(9))\nprint('ready', flush=True)\n"
                           "time.sleep(30)")
        words = [STEPSCOPE, "record", "--out", self.out, "--quiet", "--", sys.executable, path]
        process = subprocess.Popen(words, stdout=subprocess.PIPE)
        process.stdout.readline()
        process.terminate()
        self.assertEqual(process.wait(timeout=30), 9)
        process.stdout.close()

    def test_os_exit_keeps_the_steps(self):
        done = self.record(sys.executable, self.script(textwrap.dedent(TRAIN).format(steps=5, sleep=0.001)
                                                       + "import os\nos._exit(6)\n"))
        self.assertEqual(done.returncode, 6)
        self.assertEqual(len(self.report()["recording"]["steps"]), 4)

    def test_exec(self):
        second = self.script("import time\ndef after_exec():\n  time.sleep(0.5)\nafter_exec()\nraise SystemExit(4)", "second.py")
        done = self.record(sys.executable, self.script(
            "import os, sys, time\ntime.sleep(0.3)\nos.execv(sys.executable, [sys.executable, %r])" % second))
        self.assertEqual(done.returncode, 4)
        self.assertIn("after_exec", {row["function"] for row in self.report()["python"]})

    def test_fork(self):
        done = self.record(sys.executable, self.script("""
            import os, time
            def in_child():
                time.sleep(0.6)
            def in_parent():
                time.sleep(0.2)
            child = os.fork()
            if child == 0:
                in_child()
                os._exit(0)
            in_parent()
            os.waitpid(child, 0)
        """))
        self.assertEqual(done.returncode, 0, done.stderr)
        reports = self.report()["reports"]
        self.assertEqual(len(reports), 2)
        functions = [{row["function"] for row in report["python"]} for report in reports]
        self.assertIn("in_parent", functions[0])
        self.assertIn("in_child", functions[1])

    def test_daemon_threads(self):
        done = self.record(sys.executable, self.script("""
            import threading, time
            def idle():
                time.sleep(60)
            def busy():
                until = time.monotonic() + 0.8
                while time.monotonic() < until:
                    sum(range(100))
            threading.Thread(target=idle, daemon=True).start()
            busy()
        """))
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.report()["python"]
        self.assertEqual(rows[0]["function"], "busy")

    # ---- where Python is started differently

    def test_a_sitecustomize_of_the_programs_own(self):
        self.script("import builtins\nbuiltins.own_site = 'ran'", "sitecustomize.py")
        environment = dict(os.environ, PYTHONPATH=self.folder + ":" + FAKES)
        words = [STEPSCOPE, "record", "--out", self.out, "--quiet", "--", sys.executable, "-c",
                 "import sys, torch; print(own_site, [p for p in sys.path if 'stepscope-hook' in p])"]
        done = subprocess.run(words, env=environment, capture_output=True, timeout=60)
        self.assertEqual(done.stdout, b"ran []\n", done.stderr)

    def test_isolated_mode_is_left_alone(self):
        path = self.script("import sys, time\ndef alone():\n  time.sleep(0.5)\nalone()\n"
                           "print([name for name in sys.modules if 'stepscope' in name])")
        done = self.record(sys.executable, "-I", path)
        self.assertEqual(done.stdout, b"[]\n")
        self.assertIn("alone", {row["function"] for row in self.report()["python"]})

    def test_under_a_test_runner(self):
        self.script("import unittest\nclass T(unittest.TestCase):\n  def test(self):\n    import torch, time\n"
                    "    optimizer = torch.optim.SGD()\n    for _ in range(30):\n      time.sleep(0.002)\n"
                    "      optimizer.step()\n", "test_it.py")
        done = self.record(sys.executable, "-m", "unittest", "test_it")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.report()["profile"]["format"], "kineto")

    def test_under_pytest(self):
        try:
            import pytest  # noqa: F401
        except ImportError:
            self.skipTest("no pytest here; make test-python has it")
        self.script("import time, torch\ndef test_it():\n    optimizer = torch.optim.SGD()\n    for _ in range(30):\n"
                    "        time.sleep(0.002)\n        optimizer.step()\n", "test_it.py")
        done = self.record(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", "test_it.py")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(b"1 passed", done.stdout)
        self.assertEqual(self.report()["profile"]["format"], "kineto")

    # ---- where there is no room

    def test_an_existing_directory_is_never_overwritten(self):
        command = [STEPSCOPE, "record", "--quiet", "--", sys.executable, "-c", "pass"]
        for _ in range(2):
            self.assertEqual(subprocess.run(command, cwd=self.folder, timeout=60).returncode, 0)
        self.assertTrue(os.path.isdir(os.path.join(self.folder, "stepscope-run-2")))
        done = subprocess.run([*command[:2], "--out", "stepscope-run", *command[3:]], cwd=self.folder, capture_output=True,
                              timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"not empty", done.stderr)

    def test_a_directory_that_cannot_be_written(self):
        done = subprocess.run([STEPSCOPE, "record", "--report", "none", "--", sys.executable, "-c", "print(1)"], cwd="/proc",
                              env=dict(os.environ, TMPDIR=self.folder), capture_output=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, b"1\n"), done.stderr)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "stepscope-run", "recording.ssrec")))

    def test_a_full_disk(self):
        # A limit on the size of files stands in for a disk without room: writes fail in the same place.
        # At first not even the hook can be written, then its step times fill the disk.
        path = self.script(textwrap.dedent(TRAIN).format(steps=1500, sleep=0.001) + "print('whole')\n")
        for limit in (2000, os.path.getsize(HOOK) + 1000):  # 24 bytes a step
            self.out = os.path.join(self.folder, str(limit))
            done = self.record(sys.executable, path,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            self.assertEqual((done.returncode, done.stdout), (0, b"whole\n"), done.stderr)
            self.report()
        self.assertTrue(any(os.path.getsize(os.path.join(self.out, name)) == limit for name in os.listdir(self.out)))

    # ---- frameworks

    def test_a_window_of_pytorch(self):
        done = self.record(sys.executable, self.script(TRAIN.format(steps=40, sleep=0.004)))
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.report()
        self.assertEqual(report["profile"]["format"], "kineto")
        self.assertEqual(report["recording"]["step_source"], "optimizer")
        # The first optimizer step starts the clock: 39 are timed, and the profiler sees the ten from number 10 on.
        steps = report["recording"]["steps"]
        self.assertEqual([step["number"] for step in steps], list(range(39)))
        self.assertEqual([step["number"] for step in steps if step["profiled"]], list(range(10, 20)))
        self.assertEqual([step["number"] for step in report["steps"]["items"]], list(range(10, 20)))
        unprofiled = sorted(step["duration_ns"] for step in steps if not step["profiled"])
        self.assertEqual(report["steps"]["unprofiled_median_ns"], unprofiled[(len(unprofiled) - 1) // 2])
        self.assertGreater(report["steps"]["unprofiled_median_ns"], 4_000_000)
        # What the profiler calls step 10 is what the hook calls step 10: the clocks agree to a millisecond.
        of_profile = report["steps"]["items"][0]
        of_hook = next(step for step in steps if step["number"] == 10)
        self.assertLess(abs(of_profile["host_start_ns"] - of_hook["start_ns"]), 5_000_000)

    def test_chosen_steps(self):
        self.record(sys.executable, self.script(TRAIN.format(steps=30, sleep=0.001)), options=["--steps", "3-5"])
        self.assertEqual([step["number"] for step in self.report()["steps"]["items"]], [3, 4, 5])

    def test_a_window_every_so_often(self):
        self.record(sys.executable, self.script(TRAIN.format(steps=30, sleep=0.001)), options=["--every", "10", "--steps", "2"])
        reports = self.report()["reports"]
        self.assertEqual([[step["number"] for step in report["steps"]["items"]] for report in reports], [[10, 11], [20, 21]])

    def test_a_window_by_time(self):
        self.record(sys.executable, self.script(TRAIN.format(steps=120, sleep=0.01)), options=["--after", "300ms", "--for", "300ms"])
        profiled = [step for step in self.report()["recording"]["steps"] if step["profiled"]]
        self.assertTrue(10 <= len(profiled) <= 31, len(profiled))

    def test_the_program_ends_inside_the_window(self):
        done = self.record(sys.executable, self.script(TRAIN.format(steps=15, sleep=0.002)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([step["number"] for step in self.report()["steps"]["items"]][:4], [10, 11, 12, 13])

    def test_batches_mark_steps_without_an_optimizer(self):
        self.record(sys.executable, self.script("""
            import time, torch
            for batch in torch.utils.data.DataLoader(range(20)):
                time.sleep(0.002)
        """))
        recording = self.report()["recording"]
        self.assertEqual(recording["step_source"], "loader")
        self.assertEqual(len(recording["steps"]), 19)

    def test_a_program_that_profiles_itself_keeps_its_profile(self):
        own = os.path.join(self.folder, "own.json")
        done = self.record(sys.executable, self.script("""
            import time, torch
            optimizer = torch.optim.SGD()
            def train(steps):
                for _ in range(steps):
                    time.sleep(0.001)
                    optimizer.step()
            train(14)  # the recorder's window has begun
            profiler = torch.profiler.profile()
            profiler.start()
            train(5)
            profiler.stop()
            profiler.export_chrome_trace(%r)
        """ % own))
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(own) as file:
            self.assertTrue(json.load(file)["traceEvents"])
        self.assertIn("started its own profiler", json.dumps(self.report()["quality"]))

    def test_a_profiler_that_fails_does_not_disturb(self):
        for where in ("construct", "stop"):
            self.out = os.path.join(self.folder, where)
            done = self.record(sys.executable, self.script(TRAIN.format(steps=40, sleep=0.001) + "    print('whole')\n"),
                               env={"FAKE_TORCH_BREAKS": where})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(done.stdout.endswith(b"whole\n"))
            report = self.report()
            self.assertIn("the hook failed", json.dumps(report["quality"]))
            self.assertEqual(len(report["recording"]["steps"]), 39)

    def test_repeating_jit_calls_of_jax(self):
        done = self.record(sys.executable, self.script("""
            import time, jax
            @jax.jit
            def helper(x):
                return x
            @jax.jit
            def train_step(x):
                time.sleep(0.002)
                return helper(x)
            class Model:
                @jax.jit
                def apply(self, x):
                    return x
            assert train_step.lower(1) == "lowered" and train_step.__name__ == "train_step"
            assert Model().apply(3) == 3
            for _ in range(40):
                helper(1); helper(2)
                train_step(1)
        """))
        self.assertEqual(done.returncode, 0, done.stderr)
        recording = self.report()["recording"]
        self.assertEqual(recording["step_source"], "jit call")
        self.assertTrue(30 <= len(recording["steps"]) <= 40, len(recording["steps"]))
        calls = [os.path.join(folder, name) for folder, _, names in os.walk(self.out) for name in names if name == "calls.txt"]
        with open(calls[0]) as file:
            lines = file.read().split("\n")
        self.assertEqual(lines[:3], ["start", "enter step 10", "exit step 10"])

    def test_steps_that_the_program_marks_for_the_profiler_itself_are_marked_once(self):
        done = self.record(sys.executable, self.script("""
            import time, jax
            train_step = jax.jit(lambda x: x)
            for number in range(40):
                with jax.profiler.StepTraceAnnotation("train", step_num=number):
                    time.sleep(0.002)
                    train_step(1)
        """))
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = [os.path.join(folder, name) for folder, _, names in os.walk(self.out) for name in names if name == "calls.txt"]
        with open(calls[0]) as file:
            lines = file.read().split("\n")
        self.assertFalse([line for line in lines if line.startswith("enter step ")], lines)
        self.assertTrue([line for line in lines if line.startswith("enter train ")], lines)

    def test_sessions_of_tensorflow_1(self):
        done = self.record(sys.executable, self.script("""
            import tensorflow as tf
            session = tf.compat.v1.Session()
            for _ in range(40):
                assert session.run("x") == "x"
        """))
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.report()
        self.assertEqual(report["recording"]["step_source"], "session.run")
        self.assertEqual(report["profile"]["format"], "run_metadata")
        self.assertEqual(report["steps"]["count"], 10)

    def test_ranks_are_named(self):
        self.record(sys.executable, self.script("""
            import os, subprocess, sys
            if "RANK" in os.environ:
                exec(open(%r).read())
            else:
                ranks = [subprocess.Popen([sys.executable, __file__], env=dict(os.environ, RANK=str(r), WORLD_SIZE="2"))
                         for r in range(2)]
                for rank in ranks:
                    rank.wait()
        """ % self.script(TRAIN.format(steps=30, sleep=0.01), "train.py")))
        names = os.listdir(self.out)
        for rank in range(2):
            self.assertTrue(any(name.startswith("rank%d-" % rank) and name.endswith(".pt.trace.json") for name in names), names)
        reports = [report for report in self.report()["reports"] if report["profile"]["rank"] is not None]
        self.assertEqual(sorted(report["profile"]["rank"] for report in reports), [0, 1])
        self.assertEqual([report["profile"]["world_size"] for report in reports], [2, 2])

    # A worker that loads data runs no steps of its own: its counters stand in the report of the process it works for.
    def test_processes_without_steps_are_no_reports_of_their_own(self):
        done = self.record(sys.executable, self.script("""
            import subprocess, sys
            worker = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"])
            exec(open(%r).read())
            worker.kill()
            worker.wait()
            print(worker.pid)
        """ % self.script(TRAIN.format(steps=30, sleep=0.03), "train.py")))
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.report()
        self.assertNotIn("reports", report)
        self.assertEqual(report["recording"]["helpers"], 1)
        series = {row["series"] for row in report["counters"] if row["name"] == "process memory"}
        self.assertEqual(series, {"bytes", "bytes (process %s)" % done.stdout.decode().strip()})
        text = subprocess.run([STEPSCOPE, "report", self.out], capture_output=True, text=True, timeout=120)
        self.assertIn("1 helper process", text.stdout)

    def test_the_window_is_announced_when_it_begins(self):
        path = self.script(TRAIN.format(steps=40, sleep=0.05))
        done = self.record(sys.executable, path)
        lines = done.stderr.decode().splitlines()
        announced = [line for line in lines if line.startswith("stepscope: recording steps")]
        self.assertEqual(len(announced), 1, lines)
        self.assertRegex(announced[0], "^stepscope: recording steps 10 … 19 · PyTorch")
        self.out = os.path.join(self.folder, "quiet")
        self.assertEqual(self.record(sys.executable, path, options=["--quiet"]).stderr, b"")

    # ---- the file

    def test_a_recording_cut_or_damaged_anywhere_still_opens(self):
        self.record(sys.executable, self.script("import time\ndef wait():\n  time.sleep(0.6)\nwait()"))
        samples = next(os.path.join(self.out, name) for name in os.listdir(self.out) if name.endswith("-samples.ssrec"))
        with open(samples, "rb") as file:
            whole = file.read()
        cuts = sorted({0, 5, 16, 17, len(whole) // 3, len(whole) // 2, len(whole) - 1})
        for cut in cuts:
            with open(samples, "wb") as file:
                file.write(whole[:cut])
            self.report()
        damaged = bytearray(whole)
        damaged[len(whole) // 2] ^= 0xFF
        with open(samples, "wb") as file:
            file.write(damaged)
        report = self.report()
        self.assertEqual(self.quality(report, "recording-damaged")[0]["severity"], "error")
        events = report["profile"]["events"]
        self.assertEqual(events["in_file"], events["stored"] + events["diagnosed"])

    def test_wrong_usage(self):
        for words in (["--steps", "9-3"], ["--after", "soon"], ["--every", "0"], []):
            command = [STEPSCOPE, "record", *words] + (["--", "true"] if words else [])
            done = subprocess.run(command, cwd=self.folder, capture_output=True, timeout=60)
            self.assertEqual(done.returncode, 2, (words, done.stderr))
            self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    unittest.main()
