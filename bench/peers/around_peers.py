"""The other side of bench/around.sh: makes its files with TensorFlow and measures TensorFlow and TensorBoard on them.

    around_peers.py JOB ARGUMENTS... RUNS     prints the least seconds of all runs
"""

import os
import struct
import sys
import time


def best(runs, work):
    least = None
    for _ in range(runs):
        start = time.perf_counter()
        work()
        seconds = time.perf_counter() - start
        least = seconds if least is None else min(least, seconds)
    print(least)


def make_events(path, size):
    import tensorflow as tf

    os.makedirs(os.path.dirname(path), exist_ok=True)
    tags = [b"loss", b"train/accuracy", b"learning_rate", b"grad_norm"]
    with tf.io.TFRecordWriter(path + ".tmp") as writer:
        written = 0
        version = b"\x09" + struct.pack("<d", 1.7e9) + b"\x1a\x0dbrain.Event:2"
        writer.write(version)
        step = 0
        while written < size:
            for tag in tags:
                value = b"\x0a" + bytes([len(tag)]) + tag + b"\x15" + struct.pack("<f", 1.0 / (step + 1))
                summary = b"\x0a" + bytes([len(value)]) + value
                number, varint = step, b""
                while number >= 0x80:
                    varint += bytes([number & 0x7F | 0x80])
                    number >>= 7
                varint += bytes([number])
                event = b"\x09" + struct.pack("<d", 1.7e9 + step) + b"\x10" + varint + b"\x2a" + bytes([len(summary)]) + summary
                writer.write(event)
                written += len(event) + 16
            step += 1
    os.rename(path + ".tmp", path)


def make_records(path, size):
    import tensorflow as tf

    block = os.urandom(100_000)
    with tf.io.TFRecordWriter(path + ".tmp") as writer:
        for i in range(size // len(block)):
            writer.write(struct.pack("<I", i) + block[4:])
    os.rename(path + ".tmp", path)


def make_small(folder, count):
    os.makedirs(folder + ".tmp", exist_ok=True)
    for i in range(count):
        with open(f"{folder}.tmp/{i:05}.bin", "wb") as file:
            file.write(os.urandom(2000))
    os.rename(folder + ".tmp", folder)


def event_file_loader(path):
    from tensorboard.backend.event_processing import event_file_loader as loader

    def work():
        for _ in loader.EventFileLoader(path).Load():
            pass

    return work


def read_into_memory(path):
    def work():
        with open(path, "rb", buffering=0) as file:
            return len(file.read())

    return work


def tfrecord_writer(folder, out):
    import tensorflow as tf

    def work():
        with tf.io.TFRecordWriter(out) as writer:
            for name in sorted(os.listdir(folder)):
                with open(os.path.join(folder, name), "rb") as file:
                    writer.write(file.read())

    return work


def main():
    job, *arguments, runs = sys.argv[1:]
    if job == "make-events":
        make_events(arguments[0], int(arguments[1]))
    elif job == "make-records":
        make_records(arguments[0], int(arguments[1]))
    elif job == "make-small":
        make_small(arguments[0], int(arguments[1]))
    else:
        measured = {"event-file-loader": event_file_loader, "read-into-memory": read_into_memory,
                    "tfrecord-writer": tfrecord_writer}
        best(int(runs), measured[job](*arguments))


main()
