"""`stepscope capture host:port` against servers that behave and servers that do not.

Usage: test_profiler_service.py STEPSCOPE [unittest options]
"""

import json
import os
import resource
import signal
import socket
import subprocess
import time
import unittest

from case import ROOT, STEPSCOPE, Case
from fake_profiler_server import FakeProfilerServer

# A profile of ours: six steps of a JAX program on a GPU.
XSPACE = subprocess.run(["zstd", "-dc", ROOT / "tests/data/h200/jax_mlp.xplane.pb.zst"], check=True, capture_output=True).stdout


class ServiceCase(Case):
    def server(self, *arguments, **options):
        server = FakeProfilerServer(*arguments, **options)
        self.addCleanup(server.__exit__)
        return server


class Captures(ServiceCase):
    def test_the_file_is_here_and_the_report_follows(self):
        server = self.server(XSPACE)
        begin = time.monotonic()
        out, err = self.capture("--for", "300ms", "--json", server.address)
        took = time.monotonic() - begin
        report = json.loads(out)
        files = list(self.work.glob("capture_*/*"))
        self.assertEqual([file.name for file in files], [f"127.0.0.1_{server.port}.xplane.pb"])
        self.assertEqual(files[0].read_bytes(), XSPACE)
        direct = subprocess.run([STEPSCOPE, "report", "--json", files[0]], check=True, capture_output=True, text=True).stdout
        self.assertEqual(report["steps"], json.loads(direct)["steps"])
        # The goal is the duration and 1.5 s; here other tests use the machine at the same time.
        self.assertLess(took, 6)
        self.assertIn("captured in", err)

    def test_the_request_has_every_level_and_the_duration(self):
        server = self.server(XSPACE)
        self.capture("--for", "0.25s", "--no-report", "--host-level", "3", "--device-level", "0", "--python", server.address)
        (_, request), options = server.requests[0], server.options[0]
        self.assertEqual((options[2], options[3], options[4], options[5], options[7], options[9]), (3, 0, 1, 1, 1, 250))
        self.assertNotIn(8, options)
        self.assertEqual(request[9], 1)
        self.assertRegex(request[6].decode(), r"^stepscope_[0-9a-f]{16}$")

    def test_several_hosts_start_at_one_moment(self):
        servers = [self.server(XSPACE) for _ in range(3)]
        address = "grpc://" + ",".join(server.address for server in servers)
        self.capture("--for", "200ms", "--no-report", "--out", "job", address)
        starts = {server.options[0][8] for server in servers}
        self.assertEqual(len(starts), 1)
        for server in servers:
            self.assertGreater(next(iter(starts)) / 1e9, server.requests[0][0] - 0.2)
            self.assertEqual((self.work / f"job/127.0.0.1_{server.port}.xplane.pb").read_bytes(), XSPACE)

    def test_a_host_that_fails_does_not_cost_the_others(self):
        good, bad = self.server(XSPACE), self.server(behaviour="unimplemented")
        _, err = self.capture("--for", "100ms", "--no-report", "--out", "job", f"{good.address},{bad.address}")
        self.assertIn(f"{bad.address}: a gRPC server listens there, but no profiler server", err)
        self.assertEqual(len(list((self.work / "job").iterdir())), 1)

    def test_ctrl_c_ends_it_early_and_keeps_the_profile(self):
        server = self.server(XSPACE)
        process = self.start("--for", "30s", "--no-report", "--out", "job", server.address)
        while not server.options:
            time.sleep(0.01)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(server.terminated[0], server.requests[0][1][6])
        self.assertEqual(next((self.work / "job").iterdir()).read_bytes(), XSPACE)

    def test_a_busy_server_is_asked_again(self):
        server = self.server(XSPACE, busy_answers=2)
        self.capture("--for", "50ms", "--no-report", server.address)
        self.assertEqual(len(server.options), 3)

    def test_an_old_server_on_this_machine_writes_the_file_here(self):
        server = self.server(XSPACE, behaviour="old")
        self.capture("--for", "50ms", "--no-report", "--out", "job", server.address)
        (file,) = (self.work / "job").iterdir()
        self.assertEqual(file.read_bytes(), XSPACE)

    def test_a_large_answer_goes_through_without_being_held(self):
        server = self.server(b"\x12\xfc\xff\xff\x3f" + bytes(128 << 20))
        process = self.start("--for", "50ms", "--no-report", "--out", "job", server.address)
        most = 0  # kB; ru_maxrss would count this process, from which it was forked
        while process.poll() is None:
            with open(f"/proc/{process.pid}/status") as status:
                most = max([most, *(int(line.split()[1]) for line in status if line.startswith("VmHWM"))])
            time.sleep(0.02)
        self.assertEqual(process.returncode, 0, process.stderr.read())
        self.assertEqual(next((self.work / "job").iterdir()).stat().st_size, (128 << 20) + 5)
        self.assertLess(most, 80 << 10)

    def test_a_series_keeps_reports_and_the_profiles_of_outliers(self):
        server = self.server(XSPACE)
        process = self.start("--for", "50ms", "--every", "1100ms", "--keep", "4", "--out", "series", server.address)
        lines = [process.stdout.readline() for _ in range(5)]
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        self.assertEqual(process.returncode, 0)
        self.assertTrue(all(" step " in line for line in lines), lines)
        kept = [path for path in (self.work / "series").iterdir()]
        self.assertIn(len(kept), (4, 5))  # a capture may have run when the signal came
        self.assertTrue(all(path.name.endswith(".report.json") for path in kept if path.is_file()))
        self.assertEqual(json.loads(min(kept).read_text())["schema"], "stepscope.report/1")

    def test_what_can_be_captured(self):
        out, _ = self.capture("--list", "--json")
        self.assertEqual(json.loads(out)["schema"], "stepscope.capture.list/1")

    def test_live_figures(self):
        server = self.server(behaviour="monitor")
        process = self.start("--watch", server.address)
        line = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
        self.assertEqual(line, f"{server.address}:  device idle 12.5 %  step 101.2 ms\n")
        self.assertEqual(process.returncode, 0)


class Failures(ServiceCase):
    def test_no_server(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.refused(f"localhost:{port}", says=f"localhost:{port}: nothing listens on that port")

    def test_no_such_machine(self):
        self.refused("no-such-machine.invalid:9012", says="no-such-machine.invalid: there is no machine of that name")

    def test_something_else_listens(self):
        for behaviour in ("http1", "ssh", "closes", "http404"):
            with self.subTest(behaviour):
                self.refused(self.server(behaviour=behaviour).address, says="something else listens there, no profiler server")
        self.refused(self.server(behaviour="unimplemented").address, says="a gRPC server listens there, but no profiler server")
        self.refused("--for", "50ms", self.server(behaviour="no_message").address, says="the answer is no ProfileResponse")

    def test_an_old_server_elsewhere(self):
        server = self.server(behaviour="old_elsewhere")
        self.refused("--for", "50ms", server.address, says="the server answered without a profile")

    def test_a_program_that_dies(self):
        self.refused(self.server(behaviour="dies").address, says="127.0.0.1:")

    def test_a_cut_answer_is_kept(self):
        server = self.server(XSPACE, behaviour="cut")
        _, err = self.capture("--for", "50ms", "--no-report", "--out", "job", server.address)
        self.assertIn("the answer ended after", err)
        kept = next((self.work / "job").iterdir()).read_bytes()
        self.assertTrue(XSPACE.startswith(kept) and len(kept) > len(XSPACE) // 3)

    def test_a_cut_answer_of_more_than_2_gib_is_kept(self):
        server = self.server(XSPACE, behaviour="cut_of_3_gib")
        _, err = self.capture("--for", "50ms", "--no-report", "--out", "job", server.address)
        self.assertIn(f"of {(3 << 30) + 5} bytes", err)  # with the five bytes before a message
        kept = next((self.work / "job").iterdir()).read_bytes()
        self.assertTrue(XSPACE.startswith(kept) and len(kept) > len(XSPACE) // 3)

    def test_busy_for_good(self):
        server = self.server(busy_answers=1000)
        begin = time.monotonic()
        self.refused("--for", "50ms", server.address, says="another profile is being taken there")
        self.assertLess(time.monotonic() - begin, 20)

    def test_an_empty_profile_says_why(self):
        server = self.server(XSPACE[:0] + b"\x22\x04host", behaviour="empty")
        _, err = self.capture("--for", "50ms", server.address, code=1)
        self.assertIn("nothing ran there while the profile was taken", err)
        self.assertIn("next: capture while steps run", err)

    def test_a_disk_without_room(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))

        self.refused("--for", "50ms", self.server(bytes(1 << 20)).address, says="File too large", preexec_fn=limit)

    def test_a_folder_that_cannot_be_made(self):
        _, err = self.capture("--out", "/proc/no", self.server(XSPACE).address, code=1)
        self.assertIn("/proc/no: cannot make the directory", err)

    def test_no_live_figures(self):
        _, err = self.capture("--watch", self.server().address, code=1)
        self.assertIn("the server has no live figures", err)

    def test_wrong_words(self):
        for target in ("localhost", "localhost:0", "localhost:x", ":9012", "ftp://a:1", "a:1,a:1", "a b:1", "a:1,"):
            with self.subTest(target):
                _, err = self.capture(target, code=2)
                self.assertIn("is no target", err)
        _, err = self.capture("--for", "soon", "localhost:1", code=2)
        self.assertIn("needs a duration like 500ms", err)


if __name__ == "__main__":
    unittest.main(verbosity=1)
