"""Spark over many profiles, on this machine: how it compares with plain processes, and whether it holds at any number.

    fleet_spark.py STEPSCOPE warm [FILES]     40 × 2.5 MB gz: one process, two plain ones, Spark local[2] warm, in turn
    fleet_spark.py STEPSCOPE many COUNT       COUNT small profiles through Spark: failures, memory, rate against 1,000
    fleet_spark.py STEPSCOPE skew [GB]        one large file among 200 small ones

Needs pyspark with a JVM, pyarrow, psutil and the wheel. Profiles are the project's own; every copy gets a host and a start
of its own, so that contents differ. COUNT = 100,000 takes about 3 GB below --dir (default: the temporary folder).
"""
import argparse
import gzip
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
START = 1_790_000_000_000_000_000
SMALL = 64_000  # bytes of a small profile, compressed


def source_texts(small):
    """JSON profiles of the project, without their host and start."""
    import pyarrow as pa

    files = [ROOT / "examples" / "resnet50_inputbound.pt.trace.json.gz"]
    if small:
        files = sorted([*ROOT.glob("examples/*.json.gz"), *ROOT.glob("tests/data/**/*.json.zst")])
        files = [file for file in files if file.stat().st_size < SMALL]
    for file in files:
        with pa.input_stream(str(file), compression="gzip" if file.suffix == ".gz" else "zstd") as stream:
            text = stream.read().decode(errors="replace").lstrip()
        if text.startswith("{") and '"traceEvents"' in text:
            text = re.sub(r'"(baseTimeNanoseconds|host_name)"\s*:\s*("[^"]*"|\d+)\s*,?', "", text)
            yield re.sub(r",\s*}\s*$", "}", text)[1:]


def make_files(folder, count, small):
    """A gzip file may have several members: the first has what differs, the second is the same bytes each time."""
    os.makedirs(folder)
    bodies = [gzip.compress(text.encode(), 6) for text in source_texts(small)]
    paths = []
    for number in range(count):
        head = f'{{"host_name": "host-{number % 997:04}", "baseTimeNanoseconds": {START + number * 1_000_000_007},'
        place = os.path.join(folder, f"{number // 1000:04}")
        if number % 1000 == 0:
            os.mkdir(place)
        path = os.path.join(place, f"{number:07}.json.gz")
        with open(path, "wb") as file:
            file.write(gzip.compress(head.encode(), 1))
            file.write(bodies[number % len(bodies)])
        paths.append(path)
    size = sum(os.path.getsize(path) for path in paths)
    print(f"{count:,} profiles of {len(bodies)} kinds, {size / 1e6:,.1f} MB", flush=True)
    return paths


def session(folder):
    from pyspark.sql import SparkSession

    spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
             .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
             .config("spark.local.dir", folder).config("spark.ui.showConsoleProgress", "false").config("spark.sql.shuffle.partitions", "4")
             .config("spark.driver.memory", "2g").getOrCreate())
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def family():
    import psutil

    own = psutil.Process()
    return [own, *own.children(recursive=True)]


def cpu_now():
    """CPU seconds of this process and all that live below it, with those that ended and were waited for."""
    total = 0.0
    for process in family():
        try:
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
        except Exception:  # noqa: BLE001: it ended while we looked
            pass
    return total


def memory_now():
    total = 0
    for process in family():
        try:
            total += process.memory_info().rss
        except Exception:  # noqa: BLE001: as above
            pass
    return total


def timed(what):
    began, cpu = time.monotonic(), cpu_now()
    what()
    return time.monotonic() - began, cpu_now() - cpu


def warm(stepscope, folder, count, rounds):
    from stepscope.fleet import _listing, _spark

    paths = make_files(f"{folder}/in", count, small=False)
    listing = "\n".join(paths)
    spark = session(folder)

    def one_process():
        shutil.rmtree(f"{folder}/one", ignore_errors=True)
        subprocess.run([stepscope, "fleet", "analyze", "--paths-from", "-", "--out", f"{folder}/one"],
                       input=listing.encode(), check=True, stdout=subprocess.DEVNULL)

    def two_plain():
        subprocess.run(["xargs", "-P", "2", "-n", "1", stepscope, "report", "--json"], input=listing.encode(), check=True,
                       stdout=subprocess.DEVNULL)

    def on_spark():
        tables = _spark.tables_of(spark, list(_listing.list_source(f"{folder}/in")))
        tables["profiles"].collect()
        tables.close()

    on_spark()  # starts the workers
    ways = {"two plain processes": two_plain, "one process": one_process, "Spark local[2], warm": on_spark}
    best = {name: (1e9, 1e9) for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            wall, cpu = timed(way)
            best[name] = (min(best[name][0], wall), min(best[name][1], cpu))
    base = best["two plain processes"]
    for name, (wall, cpu) in best.items():
        print(f"{name:<24} {wall:7.2f} s wall ({wall / base[0]:.2f} ×) {cpu:7.2f} s CPU ({cpu / base[1]:.2f} ×)")
    spark.stop()
    return 0


class Watch(threading.Thread):
    """The largest memory of each tenth of the time."""

    def __init__(self):
        super().__init__(daemon=True)
        self.samples, self.over = [], threading.Event()

    def run(self):
        while not self.over.wait(2):
            self.samples.append(memory_now())

    def tenths(self):
        self.over.set()
        self.join()
        step = max(1, len(self.samples) // 10)
        return [max(self.samples[at:at + step]) / 1e6 for at in range(0, len(self.samples), step)]


def many(stepscope, folder, count):
    from stepscope.fleet import _listing, _spark

    make_files(f"{folder}/in", count, small=True)
    entries = sorted(_listing.list_source(f"{folder}/in"), key=lambda entry: entry["path"])
    spark = session(folder)

    def through(part, out):
        tables = _spark.tables_of(spark, part)
        _spark.write(tables, out)
        rows = {row["status"]: row["count"] for row in tables["profiles"].groupBy("status").count().collect()}
        tables.close()
        return rows

    through(entries[:50], f"{folder}/warm")
    rates = []
    for name, part in (("first", entries[:1000]), ("all", entries)):
        watch = Watch()
        watch.start()
        began, cpu = time.monotonic(), cpu_now()
        rows = through(part, f"{folder}/{name}")
        wall, used = time.monotonic() - began, cpu_now() - cpu
        memory = watch.tenths()
        rates.append((len(part) / wall, used / len(part)))
        print(f"{len(part):,} profiles: {wall:.1f} s, {rates[-1][0]:.1f} a second, {1e3 * used / len(part):.2f} ms CPU each; "
              f"{rows}; memory by tenths of the time, MB: {' '.join(f'{each:.0f}' for each in memory)}", flush=True)
        if sum(rows.values()) != len(part) or rows.get("failed"):
            return 1
    size = sum(file.stat().st_size for file in pathlib.Path(f"{folder}/all").rglob("*.parquet"))
    print(f"rate against the first 1,000: {rates[1][0] / rates[0][0]:.2f}, CPU each {rates[1][1] / rates[0][1]:.2f}; "
          f"{size / count / 1e3:.2f} KB stored a profile; most memory of this process "
          f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB")
    spark.stop()
    return 0


def large_file(path, size):
    """The events of one profile again and again, later each time, until the text is so large."""
    text = next(source_texts(small=False))
    head, _, events = text.partition('"traceEvents"')
    begin, end = events.index("[") + 1, events.rindex("]")
    body, tail = events[begin:end].strip(), events[end + 1:]
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"host_name": "large", ' + head + '"traceEvents": [')
        file.write(body)
        for turn in range(1, max(2, size // len(body))):
            file.write(",\n")
            file.write(re.sub(r'("ts"\s*:\s*)(\d+)', lambda m: f"{m[1]}{int(m[2]) + turn * 10_000_000}", body))
        file.write("]" + tail)


def skew(stepscope, folder, gigabytes):
    from stepscope.fleet import _listing, _spark

    make_files(f"{folder}/in", 200, small=True)
    large = f"{folder}/in/large.json"
    large_file(large, int(gigabytes * 1e9))
    print(f"and one of {os.path.getsize(large) / 1e9:.2f} GB", flush=True)
    spark = session(folder)

    def on_spark(entries):
        tables = _spark.tables_of(spark, entries, timeout=1200)
        rows = {row["path"]: row["status"] for row in tables["profiles"].collect()}
        tables.close()
        assert all(status == "ok" for status in rows.values()), rows
        assert len(rows) == len(entries)

    entries = list(_listing.list_source(f"{folder}/in"))
    on_spark([entry for entry in entries if entry["path"] != large][:20])
    alone, _ = timed(lambda: on_spark([entry for entry in entries if entry["path"] == large]))
    together, _ = timed(lambda: on_spark(entries))
    print(f"the large file alone {alone:.1f} s, with 200 small ones {together:.1f} s ({together / alone:.2f} ×)")
    spark.stop()
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stepscope")
    parser.add_argument("what", choices=("warm", "many", "skew"))
    parser.add_argument("number", nargs="?", type=float)
    parser.add_argument("--rounds", type=int, default=3, help="of warm (default: 3); the best counts")
    parser.add_argument("--dir", help="where the files go (default: the temporary folder)")
    options = parser.parse_args()
    stepscope = os.path.abspath(options.stepscope)
    with tempfile.TemporaryDirectory(dir=options.dir, ignore_cleanup_errors=True) as folder:
        if options.what == "warm":
            return warm(stepscope, folder, int(options.number or 40), options.rounds)
        if options.what == "skew":
            return skew(stepscope, folder, options.number or 2)
        return many(stepscope, folder, int(options.number or 2000))


sys.exit(main())
