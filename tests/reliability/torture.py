#!/usr/bin/env python3
"""Cuts, mutates, kills, fills, rewrites and floods: what docs/reliability.md promises, tried.

usage: torture.py STEPSCOPE DATA [--short] [--only PART,PART] [--jobs N] [--seed N]

DATA is where tests/unpack-data put the archives. Prints one line per part with its counts; exit code 1 when a promise broke.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import inputs as cases
import requests_part

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TIMEOUT = 60


class Torture:
    def __init__(self, arguments):
        self.program = os.path.abspath(arguments.stepscope)
        self.short = arguments.short
        self.jobs = arguments.jobs
        self.random = random.Random(arguments.seed)
        self.inputs = cases.inputs(arguments.data)
        self.broken = []
        self.lock = threading.Lock()
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="torture-"))

    def breach(self, what):
        with self.lock:
            self.broken.append(what)
            if len(self.broken) <= 20:
                print("BROKEN", what, flush=True)

    def run(self, words, **more):
        """Return code, standard output and standard error; a run that hangs or dies of a signal is a breach."""
        try:
            done = subprocess.run([self.program, *words], capture_output=True, timeout=TIMEOUT,
                                  stdin=subprocess.DEVNULL, check=False, **more)
        except subprocess.TimeoutExpired:
            self.breach(f"hangs: {' '.join(words)}")
            return None, b"", b""
        if done.returncode < 0 or done.returncode not in (0, 1, 2, 3):
            self.breach(f"exit code {done.returncode}: {' '.join(words)}: {done.stderr[-300:]!r}")
        return done.returncode, done.stdout, done.stderr

    def all(self, tasks):
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            return sum(pool.map(lambda task: task(), tasks))

    def folder(self):
        return pathlib.Path(tempfile.mkdtemp(dir=self.work))

    # Damage is never silent.
    def cuts(self):
        places = 8 if self.short else 40
        return f"{self.all([lambda i=i: self.cut(i, places) for i in self.inputs])} runs on cut files, {places} places per format"

    def cut(self, one, places):
        folder = self.folder()
        runs = 0
        for place in range(places):
            at = (place + 1) * len(one.content) // (places + 1)
            if at == 0 or one.whole_at(one.content, at):
                continue
            path = folder / one.name
            path.write_bytes(one.content[:at])
            for verb in one.verbs:
                words = cases.command(verb, path, folder / f"out{runs}")
                code, out, error = self.run([*words, "--strict"])
                runs += 1
                if code != 1:
                    self.breach(f"cut at {at} of {len(one.content)}: --strict gives {code}: {' '.join(words)}")
                if not error.strip():
                    self.breach(f"cut at {at} of {len(one.content)}: nothing on standard error: {' '.join(words)}")
            if place % 5 == 0:
                words = cases.command(one.verbs[place // 5 % len(one.verbs)], path, folder / f"out{runs}")
                code, out, error = self.run(words)
                runs += 1
                said = out + error
                words_of_damage = (b"cut", b"ends in", b"amaged", b"ends before", b"being written")
                if code == 0 and not error.strip() and not any(word in said for word in words_of_damage):
                    self.breach(f"cut at {at}: nothing is said without --strict: {' '.join(words)}")
        shutil.rmtree(folder)
        return runs

    # Any bytes: an answer or a sentence, within time, never a signal.
    def mutants(self):
        each = 10 if self.short else 240
        count = self.all([lambda i=i, s=self.random.random(): self.mutate(i, each, s) for i in self.inputs])
        return f"{count} mutated files of {len(self.inputs)} formats"

    def mutate(self, one, each, seed):
        chance = random.Random(seed)
        folder = self.folder()
        for number in range(each):
            content = bytearray(one.content)
            for _ in range(chance.choice((1, 1, 2, 8, 64))):
                self.change(content, chance)
            path = folder / one.name
            path.write_bytes(content)
            self.run(cases.command(chance.choice(one.verbs), path, folder / f"out{number % 4}"))
        shutil.rmtree(folder)
        return each

    @staticmethod
    def change(content, chance):
        if not content:
            return
        at = chance.randrange(len(content))
        kind = chance.randrange(6)
        if kind == 0:
            content[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            content[at : at + 4] = chance.choice((b"\xff\xff\xff\x7f", b"\x00\x00\x00\x00", b"\xff" * 8, b"\x80" * 10))
        elif kind == 2:
            del content[at : at + chance.randrange(1, 64)]
        elif kind == 3:
            other = chance.randrange(len(content))
            content[at:at] = content[other : other + chance.randrange(1, 256)]
        elif kind == 4:
            content[at:at] = chance.choice((b"[" * 50, b"{", b'"', b"-9223372036854775808", b"1e999", b"\x1b[2J", b"\x00"))
        else:
            content[at] = chance.randrange(256)

    def outputs_of(self, folder):
        """Verbs that write, each with the file or folder that it writes."""
        trace = folder / "in.json"
        trace.write_bytes(self.inputs[0].content)
        data = folder / "images"
        data.mkdir()
        for i in range(50):
            (data / f"{i}.txt").write_bytes(bytes([i]) * 4000)
        out = folder / "out"
        large = ROOT / "examples" / "nograph_infer.pt.trace.json.gz"
        return out, [
            ["timeline", trace, "-o", out / "t.json"],
            ["timeline", trace, "-o", out / "t.json.gz"],
            ["timeline", trace, "-o", out / "t.pftrace"],
            ["report", "--html", out / "r.html", trace],
            ["report", "--csv", out / "tables", trace],
            ["view", "op", "-output", f"file:outfile={out / 'op'}", trace],
            ["view", "scope", "-output", f"timeline:outfile={out / 'scope'}", trace],
            ["data", "pack", data, "-o", out / "pack", "--force"],
            ["export", large, "-o", out / "parquet_tables"],
            *(["export", large, "-o", out / name, "--tables", "slices"] for name in ("s.arrow", "s.csv")),
            *(["export", large, "-o", out / name] for name in ("e.sqlite", "e.pb.gz", "e.speedscope.json", "e.folded")),
            ["query", "-o", out / "q.parquet", "SELECT * FROM slice", large],
        ]

    @staticmethod
    def content_of(folder):
        return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}

    # SIGKILL at any moment: the old files or the new ones, nothing between.
    def kills(self):
        each = 5 if self.short else 40
        folder = self.folder()
        out, verbs = self.outputs_of(folder)
        for words in verbs:
            words = [str(word) for word in words]
            shutil.rmtree(out, ignore_errors=True)
            out.mkdir()
            began = time.monotonic()
            self.run(words)
            took = time.monotonic() - began
            new = self.content_of(out)
            for _ in range(each):
                for path in new:
                    (out / path).write_bytes(b"old")
                child = subprocess.Popen([self.program, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(self.random.uniform(0, took))
                child.send_signal(self.random.choice((signal.SIGKILL, signal.SIGINT, signal.SIGTERM)))
                child.wait()
                for path, content in self.content_of(out).items():
                    half = content not in (b"old", new.get(path, b"old"))
                    if half and not self.same_but_time(content, new.get(path, b"")) and ".stepscope-tmp-" not in path:
                        self.breach(f"half a file after a kill: {path}: {' '.join(words)}")
        return f"{each * len(verbs)} runs killed while they wrote, {len(verbs)} kinds of output"

    @staticmethod
    def same_but_time(one, other):
        """A gzip or a page may hold its time; what matters is that it is whole."""
        return abs(len(one) - len(other)) < 64 and one[-16:] == other[-16:]

    # A full disk: exit 1 with a sentence, the old file whole, no litter.
    def full(self):
        folder = self.folder()
        out, verbs = self.outputs_of(folder)
        small = folder / "small"
        small.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", str(small)],
                                 capture_output=True, check=False).returncode == 0
        count = failed = 0
        for words in verbs:
            words = [str(word).replace(str(out), str(small)) for word in words]
            for old in (False, True):
                for leftover in small.iterdir():
                    shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()
                before = {}
                if old:
                    names = [w.split("=")[-1] for w in words if str(small) in w]
                    for name in names:
                        if not name.endswith(("tables", "pack", "scope")):
                            pathlib.Path(name).write_bytes(b"old")
                            before[name] = b"old"
                limit = None if mounted else lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (16384, 16384))
                code, _, error = self.run(words, preexec_fn=limit)
                count += 1
                if code == 0:
                    continue  # it fitted
                failed += 1
                if not error.strip():
                    self.breach(f"a full disk without a sentence: {' '.join(words)}")
                for name, content in before.items():
                    if pathlib.Path(name).read_bytes() != content:
                        self.breach(f"a full disk destroyed {name}: {' '.join(words)}")
                litter = [p for p in small.rglob("*") if ".stepscope-tmp-" in p.name]
                if litter:
                    self.breach(f"litter after a full disk: {litter}: {' '.join(words)}")
        if mounted:
            subprocess.run(["umount", str(small)], check=False)
        return f"{count} runs, {failed} of them on a full disk ({'tmpfs of 32 KiB' if mounted else 'a file size limit of 16 KiB'})"

    # An output that is an input is refused, whatever it is called.
    def own_inputs(self):
        folder = self.folder()
        path = folder / "trace.json"
        content = self.inputs[0].content
        path.write_bytes(content)
        (folder / "soft").symlink_to(path)
        os.link(path, folder / "hard")
        count = 0
        for name in ("trace.json", "soft", "hard"):
            target = str(folder / name)
            for words in (["timeline", str(path), "-o", target], ["report", "--html", target, str(path)],
                          ["view", "op", "-output", f"file:outfile={target}", str(path)],
                          ["view", "op", "--write_profile", target, str(path)],
                          *(["export", str(path), "-o", target, "--format", kind]
                            for kind in ("sqlite", "pprof", "speedscope", "folded", "chrome")),
                          *(["export", str(path), "-o", target, "--tables", "slices", "--format", kind]
                            for kind in ("parquet", "arrow", "csv", "jsonl")),
                          ["query", "--format", "csv", "-o", target, "SELECT * FROM slice", str(path)]):
                code, _, error = self.run(words)
                count += 1
                if code == 0 or not error.strip():
                    self.breach(f"its own input was not refused: {' '.join(words)}")
                if path.read_bytes() != content:
                    self.breach(f"its own input was destroyed: {' '.join(words)}")
                    path.write_bytes(content)
        return f"{count} outputs that were inputs, all refused"

    # A writer beside a reader: an answer or a sentence.
    def writers(self):
        each = 3 if self.short else 25
        count = 0
        chosen = [i for i in self.inputs if i.name in ("a.xplane.pb", "run_meta.pb", "graph.pb", "trace.json", "small.sqlite",
                                                       "snapshot.pickle", "tiny.tfrecord")]
        for one in chosen:
            path = self.folder() / one.name
            path.write_bytes(one.content)
            stop = threading.Event()
            writer = threading.Thread(target=self.rewrite, args=(path, one.content, stop))
            writer.start()
            for number in range(each):
                for verb in one.verbs[:4]:
                    self.run(cases.command(verb, path, path.parent / f"out{number % 4}"))
                    count += 1
            stop.set()
            writer.join()
        return f"{count} runs beside a program that cut and rewrote the file"

    @staticmethod
    def rewrite(path, content, stop):
        while not stop.is_set():
            with open(path, "r+b") as file:
                file.truncate(len(content) // 3)
                time.sleep(0.001)
                file.seek(0)
                file.write(content)
                file.flush()
            time.sleep(0.001)

    # Memory that cannot be had is a sentence.
    def memory(self):
        large = ROOT / "examples" / "resnet50_inputbound.pt.trace.json.gz"
        verbs = [["report", large], ["advise", large], ["timeline", large, "-o", "/dev/null"], ["view", "scope", large],
                 ["view", "op", large]]
        sizes = (24, 96) if self.short else (16, 24, 32, 48, 64, 96, 128, 192, 256)
        refused = 0
        for words in verbs:
            for size in sizes:
                code, _, error = self.run([*map(str, words), f"--memory-limit={size}M"])
                if code == 1 and b"memory" in error:
                    refused += 1
                elif code != 0:
                    self.breach(f"memory limit of {size} MiB gives {code}, {error[-200:]!r}: {words}")
        if refused == 0:
            self.breach("no memory limit was small enough to refuse anything")
        return f"{len(verbs) * len(sizes)} runs under memory limits of {sizes[0]} to {sizes[-1]} MiB, {refused} refused with a sentence"

    # What grows with the square of something must not.
    def limits(self):
        folder = self.folder()
        said = []
        for spans in (40_000,) if self.short else (40_000, 1_000_000):
            nested = folder / "nested.json"
            with open(nested, "w", encoding="ascii") as file:
                file.write('{"traceEvents":[')
                file.write(",".join(f'{{"ph":"X","cat":"cpu_op","name":"op{i}","pid":1,"tid":1,"ts":{i},"dur":{2 * (spans - i)}}}'
                                    for i in range(spans)))
                file.write("]}")
            said.append(self.limited(["view", "scope", str(nested)], 2 << 30, f"{spans} nested spans"))
        graph = folder / "chain.pbtxt"
        nodes = 20_000 if self.short else 200_000
        with open(graph, "w", encoding="ascii") as file:
            for i in range(nodes):
                file.write(f'node {{ name: "n{i}" op: "Identity"{f" input: {chr(34)}n{i - 1}{chr(34)}" if i else ""} }}\n')
        said.append(self.limited(["view", "graph", f"--graph_path={graph}", "-max_depth", "300000", "-output", "stdout"], 4 << 30,
                                 f"a chain of {nodes} nodes"))
        zeros = folder / "events.out.tfevents.1.zeros"
        with open(zeros, "wb") as file:
            file.truncate(10_000_000_000)
        said.append(self.limited(["events", str(zeros)], 2 << 30, "10 GB of zeros"))
        return "; ".join(said)

    def limited(self, words, address_space, what):
        began = time.monotonic()
        code, out, error = self.run(words, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (address_space,) * 2))
        if code != 0 or not out + error:
            self.breach(f"{what}: exit code {code}, {error[-200:]!r}")
        return f"{what}: {time.monotonic() - began:.1f} s"

    def requests(self):
        profile = self.folder() / "trace.json"
        profile.write_bytes(self.inputs[0].content)
        counts = requests_part.flood(self.program, str(profile), 5 if self.short else 40, self.breach)
        return counts

    PARTS = ["own_inputs", "cuts", "mutants", "kills", "full", "writers", "memory", "limits", "requests"]

    def everything(self, only):
        for name in self.PARTS:
            if only and name not in only:
                continue
            began = time.monotonic()
            said = getattr(self, name)()
            print(f"{name}: {said} ({time.monotonic() - began:.0f} s)", flush=True)
        shutil.rmtree(self.work, ignore_errors=True)
        print(f"torture: {len(self.broken)} promises broken" if self.broken else "torture: every promise held")
        return 1 if self.broken else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepscope")
    parser.add_argument("data")
    parser.add_argument("--short", action="store_true", help="about a minute instead of ten")
    parser.add_argument("--only", default="", help="some of " + ", ".join(Torture.PARTS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    only = [name for name in arguments.only.split(",") if name]
    sys.exit(Torture(arguments).everything(only))


if __name__ == "__main__":
    main()
