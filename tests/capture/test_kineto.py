"""`stepscope capture pid:N`, `job:NAME` and `all` against fake PyTorch processes, well and badly behaved.

Usage: test_kineto.py STEPSCOPE [unittest options]
"""

import gzip
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import unittest

from case import ROOT, STEPSCOPE, Case
from fake_kineto import HEAD, KinetoClient, poll_datagram

EXAMPLE = ROOT / "examples/resnet50_inputbound.pt.trace.json.gz"


class KinetoCase(Case):
    def setUp(self):
        super().setUp()
        self.sockets = self.work / "s"
        self.sockets.mkdir()
        self.profile = self.work / "profile.json"
        self.profile.write_bytes(gzip.decompress(EXAMPLE.read_bytes()))
        self.environment = os.environ | {"KINETO_IPC_SOCKET_DIR": str(self.sockets)}

    def target(self, behaviour="fine", every="0.5", **variables):
        """A fake PyTorch process."""
        process = subprocess.Popen(
            [sys.executable, ROOT / "tests/capture/fake_kineto.py", self.sockets, self.profile, behaviour, every],
            env=self.environment | {"KINETO_USE_DAEMON": "1"} | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(self.end, process)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def said(self, process):
        return process.communicate(timeout=20)[0].splitlines()

    def capture(self, *arguments, **options):
        return super().capture(*arguments, env=self.environment, **options)

    def start(self, *arguments, **options):
        process = super().start(*arguments, **options)
        self.waits = CpuWaits(process.pid)
        return process

    def assert_all_answered(self, lines):
        """Each poll, and within 90 ms. A poll may only stay unanswered where the system did not let the daemon run for as
        long as the daemon takes a poll to be fresh; one that may run ahead of other programs is never kept from it."""
        delays = [float(line.split()[1]) for line in lines if line.startswith("answered ")]
        self.assertLess(max(delays), 90)
        if not self.waits.may_stay_unanswered():
            self.assertNotIn("unanswered", lines)
        return delays


class CpuWaits:
    """How long each thread of a process was ready to run and did not, as long as it lives."""

    def __init__(self, pid):
        self.threads = {}
        self.folder = pathlib.Path(f"/proc/{pid}/task")
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        while self.look():
            time.sleep(0.02)

    def look(self):
        try:
            for thread in self.folder.iterdir():
                self.threads[thread.name] = int((thread / "schedstat").read_text().split()[1]) / 1e6
        except (OSError, ValueError, IndexError):
            return self.folder.exists()
        return True

    def may_stay_unanswered(self):
        self.look()
        return max(self.threads.values(), default=0) >= 35 and not RUNS_FIRST


def runs_first():
    """Whether programs of this user may run ahead of those of others."""
    try:
        before = os.sched_getscheduler(0), os.sched_getparam(0)
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
        os.sched_setscheduler(0, *before)
        return True
    except PermissionError:
        return False


RUNS_FIRST = runs_first()


class Captures(KinetoCase):
    def test_the_file_is_here_and_the_report_follows(self):
        process = self.target(RANK="3")
        out, _ = self.capture("--for", "300ms", "--json", "--out", "job", f"pid:{process.pid}")
        self.assertIn("steps", json.loads(out))
        (file,) = (self.work / "job").iterdir()
        self.assertEqual(file.name, f"rank3_pid{process.pid}.pt.trace.json.gz")
        self.assertEqual(gzip.decompress(file.read_bytes()), self.profile.read_bytes())
        lines = self.said(process)
        self.assertIn("did written", lines)
        self.assert_all_answered(lines)
        self.assertEqual([name for name in os.listdir("/tmp") if f"_{process.pid}_{process.pid}.json" in name], [])

    def test_steps(self):
        process = self.target()
        self.capture("--steps", "5", "--align", "100", "--no-report", "--out", "job", f"pid:{process.pid}")
        self.assertEqual(len(list((self.work / "job").iterdir())), 1)

    def test_a_file_in_pieces_is_taken_whole(self):
        process = self.target("torn")
        self.capture("--for", "100ms", "--no-report", "--out", "job", f"pid:{process.pid}")
        (file,) = (self.work / "job").iterdir()
        self.assertEqual(gzip.decompress(file.read_bytes()), self.profile.read_bytes())

    def test_a_file_where_kineto_wants_it(self):
        process = self.target("elsewhere")
        self.capture("--for", "100ms", "--no-report", "--out", "job", f"pid:{process.pid}")
        self.assertEqual(len(list((self.work / "job").iterdir())), 1)

    def test_polls_that_count_as_not_sent(self):
        """Half of all processes are so when the daemon starts: Kineto takes its eleventh try for failed even if it arrived."""
        variables = {"TORCHELASTIC_RUN_ID": self.work.name}
        processes = [self.target("unlucky", every="2", RANK=str(rank), **variables) for rank in range(2)]
        self.capture("--for", "200ms", "--no-report", "--out", "job", f"job:{self.work.name}")
        self.assertEqual(len(list((self.work / "job").iterdir())), 2)
        for process in processes:
            lines = self.said(process)
            self.assertIn("did written", lines)
            self.assert_all_answered(lines)
            self.assertIn("unread 0", lines)

    def test_a_process_that_is_one_answer_behind(self):
        process = self.target("behind", every="3")
        self.capture("--for", "100ms", "--no-report", "--out", "job", f"pid:{process.pid}")
        self.assertEqual(len(list((self.work / "job").iterdir())), 1)
        self.assertIn("unread 0", self.said(process))

    def test_a_process_that_misses_the_common_start_is_asked_again(self):
        variables = {"TORCHELASTIC_RUN_ID": self.work.name}
        processes = [self.target(kind, every="5", **variables) for kind in ("unlucky", "behind")]
        # No longer young, and 3.5 s before a poll: at the one after that the common start has gone by.
        time.sleep(processes[1].pid % 100 / 100 * 5 + 15 - 3.5)
        self.capture("--for", "100ms", "--no-report", "--out", "job", f"job:{self.work.name}")
        self.assertEqual(len(list((self.work / "job").iterdir())), 2)
        lines = self.said(processes[1])
        refusals = {"did start timestamp is in the past", "did insufficient time for warmup"}
        self.assertTrue(refusals & set(lines), lines)
        self.assertIn("did written", lines)
        self.assertIn("unread 0", lines)

    def test_a_profiler_that_is_still_writing_the_last_profile(self):
        process = self.target("finishing")
        self.capture("--for", "100ms", "--no-report", "--out", "job", f"pid:{process.pid}")
        self.assertEqual(len(list((self.work / "job").iterdir())), 1)

    def test_a_job_by_its_name(self):
        ours, other = self.target(TORCHELASTIC_RUN_ID="mine"), self.target(TORCHELASTIC_RUN_ID="yours")
        self.capture("--for", "100ms", "--no-report", "--out", "job", "job:mine")
        self.assertEqual([file.name for file in (self.work / "job").iterdir()], [f"pid{ours.pid}.pt.trace.json.gz"])
        self.assertNotIn("did written", self.said(other))

    def test_64_processes_each_answered_in_time(self):
        self.profile.write_text(json.dumps({"traceEvents": [
            {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 5},
        ]}))
        # A job, because `all` would also be the programs of others who use this machine.
        variables = {"TORCHELASTIC_RUN_ID": self.work.name}
        processes = [self.target(every="2", RANK=str(rank), **variables) for rank in range(64)]
        out, _ = self.capture("--for", "200ms", "--json", "--out", "job", f"job:{self.work.name}")
        self.assertEqual(len(list((self.work / "job").iterdir())), 64)
        json.loads(out)
        delays = self.assert_all_answered([line for process in processes for line in self.said(process)])
        print(f"64 processes: {len(delays)} polls answered, the slowest in {max(delays):.1f} ms", file=sys.stderr)

    def test_dynolog_is_asked_where_it_runs(self):
        process = self.target("quiet")
        daemon = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(daemon.close)
        daemon.bind(str(self.sockets / "dynolog"))
        try:
            listener = socket.create_server(("127.0.0.1", 1778))
        except OSError:
            self.skipTest("port 1778 is in use here")
        self.addCleanup(listener.close)
        self.addCleanup(listener.shutdown, socket.SHUT_RDWR)
        asked = []

        def serve():
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    (size,) = struct.unpack("=i", connection.recv(4))
                    request = json.loads(connection.recv(size))
                    asked.append(request)
                    answer = {"status": 1}
                    if request["fn"] == "setKinetOnDemandRequest":
                        answer = {"processesMatched": [process.pid], "activityProfilersTriggered": [process.pid]}
                        keys = dict(line.split("=", 1) for line in request["config"].split("\n"))
                        path = keys["ACTIVITIES_LOG_FILE"].replace(".json", f"_{process.pid}.json")
                        with open(path, "wb") as file:
                            file.write(self.profile.read_bytes())
                    text = json.dumps(answer).encode()
                    connection.sendall(struct.pack("=i", len(text)) + text)

        threading.Thread(target=serve, daemon=True).start()
        _, err = self.capture("--for", "100ms", "--no-report", "--out", "job", f"pid:{process.pid}")
        self.assertIn("dynolog runs here", err)
        self.assertEqual(asked[1]["pids"], [process.pid])
        self.assertEqual(len(list((self.work / "job").iterdir())), 1)


class Containers(KinetoCase):
    def test_a_pid_namespace_of_its_own(self):
        """The process calls itself 1 and writes that into the name of its file; the kernel tells us its number here."""
        isolate = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
        if subprocess.run([*isolate, "true"], capture_output=True).returncode != 0:
            self.skipTest("no pid namespace may be made here")
        fake = [sys.executable, ROOT / "tests/capture/fake_kineto.py", self.sockets, self.profile, "fine", "0.5"]
        process = subprocess.Popen(
            [*isolate, *fake], env=self.environment | {"KINETO_USE_DAEMON": "1", "RANK": "5"},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        self.addCleanup(self.end, process)
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.capture("--for", "100ms", "--no-report", "--out", "job", f"pid:{process.pid}")
        (file,) = (self.work / "job").iterdir()
        self.assertEqual(gzip.decompress(file.read_bytes()), self.profile.read_bytes())
        self.assertTrue(file.name.startswith("rank5_pid"))


class Lists(KinetoCase):
    def test_which_processes_can_be_captured(self):
        good = self.target()
        plain = subprocess.Popen(
            [sys.executable, ROOT / "tests/capture/fake_kineto.py", self.sockets, self.profile],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self.environment,
        )
        self.addCleanup(self.end, plain)
        plain.stdout.readline()
        out, _ = self.capture("--list", "--json")
        found = {process["pid"]: process for process in json.loads(out)["processes"]}
        self.assertEqual(found[good.pid]["target"], f"pid:{good.pid}")
        self.assertEqual(found[plain.pid]["missing"], "KINETO_USE_DAEMON is not set")
        text, _ = self.capture("--list", "--width", "120")
        self.assertIn(f"pid:{good.pid}", text)
        self.assertIn(f"{plain.pid}: KINETO_USE_DAEMON is not set", text)
        doctor = subprocess.run([STEPSCOPE, "doctor"], capture_output=True, text=True).stdout
        self.assertIn(f"Process {good.pid} (PyTorch) can be captured: stepscope capture pid:{good.pid}", doctor)


class Failures(KinetoCase):
    def test_no_such_process(self):
        self.refused("pid:999999999", says="there is no process 999999999 here")

    def test_a_process_without_the_variable(self):
        self.environment.pop("KINETO_USE_DAEMON", None)
        process = self.target()
        plain = subprocess.Popen(
            [sys.executable, ROOT / "tests/capture/fake_kineto.py", self.sockets, self.profile],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self.environment,
        )
        self.addCleanup(self.end, plain)
        plain.stdout.readline()
        self.refused(f"pid:{plain.pid}", says=f"process {plain.pid} uses PyTorch, but was started without KINETO_USE_DAEMON")
        self.end(process)

    def test_a_process_without_pytorch(self):
        process = subprocess.Popen(["sleep", "60"])
        self.addCleanup(self.end, process)
        self.refused(f"pid:{process.pid}", says="no process of it uses PyTorch")

    def test_a_busy_profiler(self):
        process = self.target("busy")
        self.refused(f"pid:{process.pid}", says="its profiler is in use")

    def test_a_process_that_dies(self):
        process = self.target("dies")
        self.refused("--for", "100ms", f"pid:{process.pid}", says="ended before its profile was written")

    def test_a_process_that_refuses(self):
        process = self.target("refuses", every="1")
        self.refused("--for", "100ms", f"pid:{process.pid}", says="was asked twice and did not start its profiler")

    def test_a_profile_that_is_cancelled(self):
        process = self.target("cancels")
        self.refused("--for", "100ms", f"pid:{process.pid}", says="ended it without a file")

    def test_a_process_that_does_not_poll(self):
        process = self.target("never")
        self.refused(f"pid:{process.pid}", says="did not ask for work")

    def test_two_captures_at_once(self):
        process = self.target("never")
        first = self.start(f"pid:{process.pid}", env=self.environment)
        while not (self.sockets / "dynolog").exists():
            time.sleep(0.01)
        _, err = self.capture(f"pid:{process.pid}", code=1)
        self.assertIn("another program answers PyTorch's profiler already", err)
        self.end(first)

    def test_ctrl_c(self):
        process = self.target("never")
        capture = self.start(f"pid:{process.pid}", env=self.environment)
        while not (self.sockets / "dynolog").exists():
            time.sleep(0.01)
        capture.send_signal(signal.SIGINT)
        _, err = capture.communicate(timeout=10)
        self.assertEqual(capture.returncode, 130, err)
        self.assertFalse((self.sockets / "dynolog").exists())

    @unittest.skipIf(os.getuid() != 0, "needs two users")
    def test_the_process_of_another_user(self):
        process = self.target()
        self.work.chmod(0o777)
        program = shutil.copy(STEPSCOPE, self.work / "stepscope")
        ran = subprocess.run(
            [program, "capture", f"pid:{process.pid}"], cwd=self.work, capture_output=True, text=True,
            user=65534, group=65534, extra_groups=[],
        )
        self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
        self.assertIn(f"process {process.pid} belongs to user root", ran.stderr)
        self.assertIn("next: run stepscope as that user, or as root", ran.stderr)

    def test_a_disk_without_room(self):
        process = self.target()

        def small_disk():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        _, err = self.capture("--for", "100ms", "--out", "job", f"pid:{process.pid}", code=1, preexec_fn=small_disk)
        (kept,) = pathlib.Path("/tmp").glob(f"stepscope_*_{process.pid}_{process.pid}.json")
        self.addCleanup(kept.unlink)
        self.assertIn(f"next: the profile is still there: {kept}", err)
        self.assertEqual(list(self.work.glob("job/*.gz")), [])

    def test_wrong_words(self):
        for target in ("pid:", "pid:x", "pid:0", "job:"):
            with self.subTest(target):
                _, err = self.capture(target, code=2)
                self.assertIn("is no target", err)


class Wire(KinetoCase):
    """What the daemon answers to datagrams of every kind. A wrong length would end a real process."""

    def setUp(self):
        super().setUp()
        self.process = self.target("never")
        self.running = self.start(f"pid:{self.process.pid}", env=self.environment)
        while not (self.sockets / "dynolog").exists():
            time.sleep(0.01)
        self.client = KinetoClient(str(self.sockets))
        self.addCleanup(self.client.socket.close)

    def answer(self, datagram):
        answer, _ = self.client.ask(datagram)
        if answer is None and self.waits.may_stay_unanswered():
            answer, _ = self.client.ask(datagram)
        return answer

    def test_datagrams(self):
        # A process that is not wanted: the answer is there, and empty.
        self.assertEqual(self.answer(poll_datagram([1])), (b"req", b""))
        time.sleep(0.5)  # of two first polls at once only one is answered
        self.assertEqual(self.answer(poll_datagram([4242, 4200], job=7)), (b"req", b""))
        context = struct.pack("=iiq", 0, 4242, 0)
        self.assertEqual(self.answer(HEAD.pack(16, b"ctxt") + context), (b"ctxt", struct.pack("=i", 1)))
        # No answer to what is no poll, and the daemon lives on.
        good = poll_datagram([1])
        for bad in (b"", b"x", good[:39], good[:-1], good + b"x", HEAD.pack(16, b"nope") + context,
                    HEAD.pack(4, b"req") + b"1234", HEAD.pack(16, b"req") + struct.pack("=iiq", 2, 1000, 0),
                    HEAD.pack(16, b"req") + struct.pack("=iiq", 2, -1, 0), HEAD.pack(2**64 - 1, b"req"), bytes(60000)):
            self.assertEqual(self.client.ask(bad, wait=0.02)[0], None, bad[:60])
        self.assertEqual(self.answer(good), (b"req", b""))

    def test_a_late_answer_is_dropped(self):
        self.running.send_signal(signal.SIGSTOP)
        stat = pathlib.Path(f"/proc/{self.running.pid}/stat")
        while ") T " not in stat.read_text():
            time.sleep(0.01)
        self.assertEqual(self.client.ask(poll_datagram([1]))[0], None)
        time.sleep(0.1)
        self.running.send_signal(signal.SIGCONT)
        time.sleep(0.2)
        # Nothing waits in the queue that the next request would take for its answer.
        self.client.socket.setblocking(False)
        with self.assertRaises(BlockingIOError):
            self.client.socket.recv(100)


if __name__ == "__main__":
    unittest.main(verbosity=1)
