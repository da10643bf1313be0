"""Memory that cannot be had is a MemoryError, and the process goes on."""

import gzip
import subprocess
import sys

PROGRAM = """
import resource
import sys

import stepscope

small, large = sys.argv[1:]
stepscope.open(small).close()  # loads the engine and starts its threads
with open("/proc/self/status") as lines:
    used = next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmData"))
resource.setrlimit(resource.RLIMIT_DATA, (used + (2 << 20), resource.RLIM_INFINITY))
try:
    stepscope.open(large).report()
    print("it fitted")
except MemoryError:
    print("MemoryError")
resource.setrlimit(resource.RLIMIT_DATA, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
with stepscope.open(large) as profile:
    print(profile.report().steps.count)
"""


def test_memory_that_cannot_be_had_is_a_memory_error(examples, tmp_path):
    large = tmp_path / "large.json"  # 44 MB of text; its columns need ten times what is spare
    large.write_bytes(gzip.decompress((examples / "resnet50_inputbound.pt.trace.json.gz").read_bytes()))
    small = examples / "cudagraph_infer.pt.trace.json.gz"
    ran = subprocess.run([sys.executable, "-c", PROGRAM, small, large], capture_output=True, text=True, timeout=300)
    assert (ran.returncode, ran.stdout.split("\n")[:2]) == (0, ["MemoryError", "4"]), ran.stdout + ran.stderr
