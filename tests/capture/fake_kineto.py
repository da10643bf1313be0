"""A PyTorch process as Stepscope sees it: it polls the daemon over a Unix datagram socket and writes the file it is told to.

Standard library only. Run as a program it is one process: fake_kineto.py FOLDER PROFILE [behaviour]. It maps a file named
libtorch_cpu.so, prints a line per answer with its delay in ms, and ends when its standard input ends, with the number of
answers that it has not read.

Behaviours: fine, busy (its profiler is in use), dies (after it got the config), never (does not poll), quiet (gets the
config, writes no file), elsewhere (ignores the path), torn (writes the file in pieces), empty (a file without work),
unlucky (its first poll gets through at the last of eleven tries, so that it takes it for not sent), behind (an answer of an
earlier daemon waits in its queue), finishing (its profiler is in use at its first poll), refuses (does nothing with the config), cancels (begins, and stops without a file).
"""

import mmap
import os
import re
import select
import shutil
import socket
import struct
import sys
import time
import uuid

HEAD = struct.Struct("=Q32s")
SO_TIMESTAMPNS = 35  # not in Python's socket module; also the type of what comes with the datagram


def poll_datagram(pids, idle=True, job=0):
    payload = struct.pack(f"=iiq{len(pids)}i", 2 if idle else 0, len(pids), job, *pids)
    return HEAD.pack(len(payload), b"req") + payload


class KinetoClient:
    def __init__(self, folder):
        self.folder = folder
        self.name = os.path.join(folder, "dynoconfigclient" + str(uuid.uuid4()))
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.name)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)

    def ask(self, datagram, wait=0.09):
        """(answer or None, seconds until it was sent). The kernel says when that was, however late this process runs again.
        Checks what Kineto relies on: exactly 40 + size bytes."""
        begin = time.monotonic()
        try:
            self.socket.sendto(datagram, os.path.join(self.folder, "dynolog"))
        except (FileNotFoundError, ConnectionRefusedError, BlockingIOError):
            return None, 0
        sent = time.time_ns()
        if not select.select([self.socket], [], [], wait)[0]:
            return None, time.monotonic() - begin
        answer, parts, _, _ = self.socket.recvmsg(1 << 20, 64)
        ((_, _, stamp),) = parts
        seconds, nanoseconds = struct.unpack("=qq", stamp)
        took = max(0, seconds * 10**9 + nanoseconds - sent) / 1e9
        size, kind = HEAD.unpack_from(answer)
        if len(answer) != HEAD.size + size:
            raise SystemExit(f"std::terminate: a datagram of {len(answer)} bytes that says {size}")
        return (kind.rstrip(b"\0"), answer[HEAD.size :]), took

    def send_last_try(self, datagram):
        """What Kineto does where nobody listened for 5 s: the datagram goes out, but nobody waits for its answer."""
        while True:
            try:
                self.socket.sendto(datagram, os.path.join(self.folder, "dynolog"))
                return
            except (FileNotFoundError, ConnectionRefusedError, BlockingIOError):
                time.sleep(0.005)

    def unread(self):
        count = 0
        while select.select([self.socket], [], [], 0)[0]:
            self.socket.recv(1)
            count += 1
        return count

    def fall_behind(self):
        """An answer that nobody read waits in the queue. Kineto takes the oldest one."""
        self.socket.sendto(HEAD.pack(0, b"req"), self.name)


def ancestors():
    pids, pid = [], os.getpid()
    while pid > 0:
        pids.append(pid)
        with open(f"/proc/{pid}/stat") as file:
            pid = int(file.read().rpartition(")")[2].split()[1])
    return pids


def collect(config, profile, behaviour):
    """What Kineto does with a config, or the text of why it refuses."""
    keys = dict(line.split("=", 1) for line in config.split("\n"))
    if behaviour == "refuses":
        return "refused"
    warm_up, duration = float(keys["ACTIVITIES_WARMUP_PERIOD_SECS"]), float(keys["ACTIVITIES_DURATION_MSECS"]) / 1000
    if "PROFILE_START_TIME" in keys:
        start = float(keys["PROFILE_START_TIME"]) / 1000 or time.time() + warm_up + 2
        # The profiler looks once a second and needs the whole warm-up.
        time.sleep(max(0, min(1, start - warm_up - time.time())))
        if start < time.time():
            return "start timestamp is in the past"
        if start - time.time() < warm_up - 0.3:
            return "insufficient time for warmup"
        time.sleep(max(0, start + duration - time.time()))
    else:
        assert keys["PROFILE_START_ITERATION"] == "0"
        time.sleep(0.05 * int(keys["ACTIVITIES_ITERATIONS"]))
    if behaviour == "dies":
        os._exit(1)
    if behaviour in ("quiet", "cancels"):
        return behaviour
    path = re.sub(r"\.json$", f"_{os.getpid()}.json", keys["ACTIVITIES_LOG_FILE"])
    if behaviour == "elsewhere":
        path = os.path.join("/tmp", f"libkineto_activities_{os.getpid()}.json")
    if behaviour == "torn":
        with open(profile, "rb") as source, open(path, "wb") as file:
            text = source.read()
            for part in range(4):
                file.write(text[len(text) * part // 4 : len(text) * (part + 1) // 4])
                file.flush()
                time.sleep(0.4)
    else:
        shutil.copy(profile, path + ".tmp")
        os.rename(path + ".tmp", path)
    return "written"


def main(folder, profile, behaviour="fine", every="1"):
    library = os.path.join(folder, "libtorch_cpu.so")
    with open(library, "a+b") as file:
        file.truncate(4096)
        mapped = mmap.mmap(file.fileno(), 4096, prot=mmap.PROT_READ)
    client = KinetoClient(folder)
    pids = ancestors()
    if behaviour == "behind":
        client.fall_behind()
    print("ready", flush=True)
    if behaviour == "unlucky":
        client.send_last_try(poll_datagram(pids))
    busy = 1 if behaviour == "finishing" else 0  # polls
    next_poll = time.monotonic() + (0 if behaviour == "unlucky" else (os.getpid() % 100) / 100 * float(every))
    while not select.select([sys.stdin], [], [], max(0, next_poll - time.monotonic()))[0]:
        next_poll += float(every)
        if behaviour == "never":
            continue
        answer, took = client.ask(poll_datagram(pids, idle=behaviour != "busy" and busy == 0))
        busy = max(0, busy - 1)
        if answer is not None:
            print(f"answered {took * 1000:.2f} {len(answer[1])}", flush=True)
            if answer[1]:
                print("did", collect(answer[1].decode(), profile, behaviour), flush=True)
                next_poll = time.monotonic() + float(every)
                busy = 1 if behaviour == "cancels" else 0
        elif took >= 0.09:
            print("unanswered", flush=True)
    print("unread", client.unread(), flush=True)
    mapped.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
