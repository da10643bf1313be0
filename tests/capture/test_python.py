"""`stepscope capture python:PID`: programs with the hook of `stepscope record`, and programs into which it is brought while
they run. Stand-ins for the frameworks (tests/record/fakes); real ones run in `make peers`.

Usage: test_python.py STEPSCOPE [unittest options]
"""

import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import time
import unittest

from case import ROOT, STEPSCOPE, Case

FAKES = ROOT / "tests/record/fakes"
HOOK = ROOT / "src/record/hook"

TRAIN = """
    import os, sys, time, torch
    optimizer = torch.optim.SGD()
    print("ready", os.getpid(), flush=True)
    while os.getppid() == int(sys.argv[1]) or sys.argv[1] == "0":
        time.sleep(0.01)
        optimizer.step()
"""


class PythonCase(Case):
    def program(self, text, options=("--wait",), record=True, **variables):
        """A program that runs; returns its number."""
        path = self.work / "train.py"
        path.write_text(textwrap.dedent(text))
        words = [sys.executable, str(path), "0"]
        if record:
            words = [STEPSCOPE, "record", "--out", str(self.work / "run"), "--quiet", *options, "--", *words]
        process = subprocess.Popen(
            words, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True, cwd=self.work,
            env=os.environ | {"PYTHONPATH": str(FAKES), "PYTHONDONTWRITEBYTECODE": "1"} | variables,
        )
        self.recorder = process
        line = process.stdout.readline().split()
        self.assertEqual(line[:1], ["ready"])
        self.pid = int(line[1])
        self.addCleanup(self.finish)
        return self.pid

    def finish(self):
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        for stream in (self.recorder.stdin, self.recorder.stdout):
            stream.close()
        self.recorder.wait(timeout=30)

    def files(self, name="job"):
        return sorted(file.name for file in (self.work / name).iterdir())


class Captures(PythonCase):
    def test_a_program_that_waits(self):
        pid = self.program(TRAIN)
        begin = time.monotonic()
        out, _ = self.capture("--for", "300ms", "--json", "--out", "job", f"python:{pid}")
        took = time.monotonic() - begin
        report = json.loads(out)
        self.assertEqual(report["profile"]["format"], "kineto")
        self.assertGreater(report["steps"]["count"], 3)
        self.assertEqual(self.files(), [f"pid{pid}.pt.trace.json.gz"])
        self.assertLess(took, 30)
        # Again, and the program has not noticed. Nothing stays in the temporary folder.
        self.capture("--for", "100ms", "--no-report", "--out", "again", f"python:{pid}")
        self.assertEqual(self.files("again"), [f"pid{pid}.pt.trace.json.gz"])
        os.kill(pid, 0)
        # Its own recording has every step and no profile.
        os.kill(pid, signal.SIGKILL)
        self.recorder.wait(timeout=30)
        recorded = json.loads(subprocess.run([STEPSCOPE, "report", "--json", self.work / "run"], capture_output=True).stdout)
        self.assertGreater(len(recorded["recording"]["steps"]), 20)
        self.assertFalse([name for name in os.listdir(self.work / "run") if "trace" in name])

    def test_steps_and_the_rank_in_the_name(self):
        pid = self.program(TRAIN, RANK="3")
        out, _ = self.capture("--steps", "5", "--json", "--out", "job", f"python:{pid}")
        self.assertEqual(self.files(), [f"rank3_pid{pid}.pt.trace.json.gz"])
        self.assertEqual(json.loads(out)["steps"]["count"], 5)

    def test_beside_a_window_of_the_recording(self):
        """The recorder's own window is over: then any recorded program can be captured."""
        pid = self.program(TRAIN, options=("--steps", "3-5"))
        deadline = time.monotonic() + 30
        while not [name for name in os.listdir(self.work / "run") if name.endswith(".pt.trace.json")]:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        self.capture("--steps", "2", "--no-report", "--out", "job", f"python:{pid}")
        self.assertEqual(len(self.files()), 1)

    def test_a_program_whose_steps_nobody_marks(self):
        pid = self.program("""
            import os, time, torch
            print("ready", os.getpid(), flush=True)
            while True:
                sum(range(1000))
        """)
        self.capture("--for", "200ms", "--no-report", "--out", "job", f"python:{pid}")
        self.assertEqual(len(self.files()), 1)

    def test_jax(self):
        pid = self.program("""
            import os, time, jax
            stop_trace = jax.profiler.stop_trace
            def stop_and_write():
                stop_trace()
                os.makedirs(folder := os.path.join(jax.profiler.started, "plugins", "profile", "now"))
                open(os.path.join(folder, "host.xplane.pb"), "wb").write(b"profile")
            start_trace = jax.profiler.start_trace
            def start_and_keep(path):
                jax.profiler.started = path
                start_trace(path)
            jax.profiler.start_trace, jax.profiler.stop_trace = start_and_keep, stop_and_write
            @jax.jit
            def train_step(x):
                time.sleep(0.01)
                return x
            print("ready", os.getpid(), flush=True)
            while True:
                train_step(1)
        """)
        self.capture("--for", "200ms", "--no-report", "--out", "job", f"python:{pid}")
        self.assertEqual(len(self.files()), 1)
        self.assertEqual(self.files(), [f"pid{pid}_host.xplane.pb"])
        self.assertEqual((self.work / "job" / self.files()[0]).read_bytes(), b"profile")

    def test_ctrl_c_keeps_what_there_is(self):
        pid = self.program(TRAIN)
        process = self.start("--for", "60s", "--no-report", "--out", "job", f"python:{pid}")
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(len(self.files()), 1)

    def test_a_program_into_which_the_hook_is_brought(self):
        """What sys.remote_exec of Python 3.14 runs in the program: here the program runs it itself."""
        pid = self.program("""
            import os, sys, time, torch
            optimizer = torch.optim.SGD()
            print("ready", os.getpid(), flush=True)
            path = sys.stdin.readline().strip()
            names = set(globals())
            with open(path) as file:
                text = file.read()
            exec(compile(text, path, "exec"))
            assert set(globals()) - names <= {"names", "file", "text"}, set(globals()) - names
            print("brought", flush=True)
            while True:
                time.sleep(0.01)
                optimizer.step()
        """, record=False)
        folder = self.work / "hook"
        shutil.copytree(HOOK, folder, ignore=shutil.ignore_patterns("__pycache__"))
        attach = folder / "attach.py"
        path = folder / "_stepscope_attach.py"
        attach.write_text(f"exec(compile(__import__('pathlib').Path('{path}').read_text(), '{path}', 'exec'), {{'folder': '{folder}'}})\n")
        self.recorder.stdin.write(f"{attach}\n")
        self.recorder.stdin.flush()
        self.assertEqual(self.recorder.stdout.readline(), "brought\n")
        shutil.rmtree(folder)
        self.capture("--steps", "4", "--no-report", "--out", "job", f"python:{pid}")
        self.assertEqual(len(self.files()), 1)

    def test_it_is_listed(self):
        """By the library that it maps, as for real."""
        library = self.work / "libtorch_cpu.so"
        library.write_bytes(bytes(4096))
        mapping = f"""
            import mmap
            with open({str(library)!r}, "rb") as file:
                mapped = mmap.mmap(file.fileno(), 4096, prot=mmap.PROT_READ)
        """
        pid = self.program(textwrap.dedent(mapping) + textwrap.dedent(TRAIN))
        out, _ = self.capture("--list", "--json")
        found = {process["pid"]: process for process in json.loads(out)["processes"]}
        self.assertEqual(found[pid]["target"], f"python:{pid}")


class Failures(PythonCase):
    def test_no_such_process(self):
        self.refused("python:999999999", says="there is no process 999999999 here")

    def test_no_python(self):
        process = subprocess.Popen(["sleep", "60"])
        self.addCleanup(self.end, process)
        self.refused(f"python:{process.pid}", says=f"process {process.pid} runs no Python that can be read")

    @unittest.skipIf(sys.version_info >= (3, 14), "this one can be entered")
    def test_an_older_python_without_the_hook(self):
        pid = self.program(TRAIN, record=False)
        before = set(self.work.iterdir())
        _, err = self.capture(f"python:{pid}", code=1)
        self.assertIn("was started without Stepscope's hook", err)
        self.assertIn("stepscope record --wait -- PROGRAM", err)
        self.assertEqual(set(self.work.iterdir()), before)

    def test_a_program_without_a_framework(self):
        pid = self.program("""
            import os, time
            print("ready", os.getpid(), flush=True)
            time.sleep(60)
        """)
        self.refused(f"python:{pid}", says="was started without Stepscope's hook")

    def test_a_program_that_runs_its_own_profiler(self):
        pid = self.program("""
            import os, time, torch
            optimizer = torch.optim.SGD()
            profiler = torch.profiler.profile()
            profiler.start()
            print("ready", os.getpid(), flush=True)
            while True:
                time.sleep(0.01)
                optimizer.step()
        """)
        self.refused(f"python:{pid}", says="the program runs torch.profiler itself")

    def test_two_captures_at_once(self):
        pid = self.program(TRAIN)
        first = self.start("--for", "4s", "--no-report", "--out", "first", f"python:{pid}")
        time.sleep(1)
        # The second waits for its turn.
        self.capture("--for", "100ms", "--no-report", "--out", "second", f"python:{pid}")
        _, err = first.communicate(timeout=60)
        self.assertEqual(first.returncode, 0, err)
        self.assertEqual(len(self.files("first")) + len(self.files("second")), 2)

    def test_a_program_that_dies(self):
        pid = self.program(TRAIN)
        process = self.start("--for", "30s", "--no-report", "--out", "job", f"python:{pid}")
        time.sleep(1.5)
        os.kill(pid, signal.SIGKILL)
        _, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 1, err)
        self.assertIn("ended before its profile was written", err)
        self.assertFalse((self.work / "job").exists())

    def test_a_profiler_that_fails(self):
        pid = self.program(TRAIN, FAKE_TORCH_BREAKS="construct")
        self.refused("--for", "100ms", f"python:{pid}", says=f"process {pid}: ")
        os.kill(pid, 0)

    def test_a_disk_without_room(self):
        pid = self.program(TRAIN)

        def small_disk():
            resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        self.capture("--for", "100ms", "--out", "job", f"python:{pid}", code=1, preexec_fn=small_disk)
        self.assertFalse((self.work / "job").exists())
        self.capture("--for", "100ms", "--no-report", "--out", "job", f"python:{pid}")

    @unittest.skipIf(os.getuid() != 0, "needs two users")
    def test_another_user(self):
        pid = self.program(TRAIN)
        self.work.chmod(0o777)
        program = shutil.copy(STEPSCOPE, self.work / "stepscope")
        ran = subprocess.run([program, "capture", f"python:{pid}"], cwd=self.work, capture_output=True, text=True,
                             user=65534, group=65534, extra_groups=[])
        self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
        self.assertIn(f"process {pid} belongs to user root", ran.stderr)
        # Nor does the hook listen to who asks it directly.
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            with socket.socket(socket.AF_UNIX) as asking:
                asking.connect(f"\0stepscope-python-{pid}")
                os.write(writing, asking.recv(4096))
            os._exit(0)
        os.close(writing)
        with open(reading) as answer:
            self.assertIn("only its own user and root may ask", answer.read())
        os.waitpid(child, 0)

    def test_wrong_words(self):
        for target in ("python:", "python:x", "python:0"):
            with self.subTest(target):
                _, err = self.capture(target, code=2)
                self.assertIn("is no target", err)
        ran = subprocess.run([STEPSCOPE, "record", "--wait", "--steps", "3", "--", "true"], cwd=self.work, capture_output=True,
                             text=True)
        self.assertEqual(ran.returncode, 2)
        self.assertIn("--wait leaves the window to stepscope capture", ran.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
