"""Packs folders with stepscope and reads the shards with TensorFlow."""

import glob
import os
import random
import subprocess
import sys

import tensorflow as tf

stepscope, work = sys.argv[1:]
random.seed(1)


def make(folder, extension, classes):
    files = {}
    for i in range(200):
        name = f"{random.choice(classes)}{i:03}.{extension}"
        files[name] = os.urandom(random.choice([0, 1, 100, 5000]))
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(files[name])
    return files


def pack(source, *options):
    out = f"{source}_packed{len(options)}"
    subprocess.run([stepscope, "data", "pack", source, "-o", out, "--shard-mb", "0.1", *options], check=True,
                   stdout=subprocess.DEVNULL)
    shards = sorted(glob.glob(out + "/*.tfrecord"))
    assert len(shards) > 2, shards
    # tf.data checks both CRCs of every record.
    return [record.numpy() for record in tf.data.TFRecordDataset(shards)]


images = make(f"{work}/images", "jpg", ["cat/", "dog/", "zebra/"])
for options in ([], ["--shuffle", "9"]):
    seen = {}
    for record in pack(f"{work}/images", *options):
        feature = tf.train.Example.FromString(record).features.feature
        name = feature["image/filename"].bytes_list.value[0].decode()
        seen[name] = feature["image/encoded"].bytes_list.value[0]
        label = feature["image/class/label"].int64_list.value[0]
        assert label == ["cat", "dog", "zebra"].index(name.split("/")[0]), name
    assert seen == images

raw = make(f"{work}/raw", "bin", ["", "deep/er/"])
assert pack(f"{work}/raw") == [raw[name] for name in sorted(raw)]
print("TensorFlow", tf.__version__, "reads", 2 * len(images) + len(raw), "records back")
