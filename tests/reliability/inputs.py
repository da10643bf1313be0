"""Small files of every format that Stepscope reads, and which verbs read each."""
import gzip
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# {} stands for the file, OUT for a file to write. Every verb that takes the format is here.
PROFILE = [["report"], ["advise"], ["timeline", "-o", "OUT.json"], ["view", "op"], ["view", "scope", "--csv"],
           ["report", "--json"]]
EVENTS = [["events"], ["events", "--csv"], ["events", "--table"], ["events", "--json"], ["nan"], ["nan", "--json"]]
RECORDS = [["data"], ["data", "cat"], ["data", "cat", "--json"], ["data", "split", "-o", "OUT.d"],
           ["data", "unpack", "-o", "OUT.d"]]


class Input:
    def __init__(self, name, content, verbs, whole_at=None):
        self.name = name  # of the file: some verbs look at it
        self.content = content
        self.verbs = verbs
        self.whole_at = whole_at or (lambda content, cut: False)  # a cut here leaves a file that is whole


def varint(content, at):
    value = shift = 0
    while at < len(content):
        value |= (content[at] & 127) << shift
        shift += 7
        at += 1
        if content[at - 1] < 128:
            return value, at
    return None, at


def between_fields(content, cut):
    """A protobuf message that ends between two fields is whole; nobody can tell that more stood there."""
    at = 0
    while at < cut:
        key, at = varint(content, at)
        if key is None:
            return False
        kind = key & 7
        if kind == 0:
            _, at = varint(content, at)
        elif kind == 1:
            at += 8
        elif kind == 5:
            at += 4
        elif kind == 2:
            size, at = varint(content, at)
            at += size or 0
        else:
            return False
    return at == cut


def between_records(content, cut):
    """The same for records: u64 length, u32 CRC, data, u32 CRC."""
    at = 0
    while at < cut:
        at += 16 + int.from_bytes(content[at : at + 8], "little")
    return at == cut


def between_text_fields(content, cut):
    text = content[:cut].decode("utf-8", "replace")
    depth = 0
    quoted = False
    for i, c in enumerate(text):
        if c == '"' and (i == 0 or text[i - 1] != "\\"):
            quoted = not quoted
        elif not quoted and c in "{}":
            depth += 1 if c == "{" else -1
    # `size: 12` of `size: 123`, or the blanks between fields.
    return depth == 0 and not quoted


def behind_end_mark(content, cut):
    """A tar archive ends with a block of zeros; more of them follow as padding."""
    members = (len(content.rstrip(b"\0")) + 511) // 512 * 512
    return cut >= members + 512


def unpacked(path):
    return subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout


def inputs(data):
    """`data`: the folder into which tests/unpack-data put the archives."""
    tests, corpus, tf = ROOT / "tests" / "data", ROOT / "fuzz" / "corpus", pathlib.Path(data) / "tf"
    ort = unpacked(tests / "h200" / "ort_mobilenet.json.zst")
    xplane = unpacked(tests / "h200" / "jax_mlp.xplane.pb.zst")
    graph = (tf / "twodev" / "graph.pb").read_bytes()
    event = next((tf / "events" / "logs" / "old").iterdir())
    records = tests / "dataset" / "tiny.none.tfrecord"
    graph_path = str(tf / "twodev" / "graph.pb")
    return [
        Input("trace.json", ort, PROFILE),
        Input("trace.json.gz", gzip.compress(ort, 1), PROFILE),
        Input("trace.json.zst", (tests / "h200" / "ort_mobilenet.json.zst").read_bytes(), PROFILE),
        Input("a.xplane.pb", xplane, PROFILE, between_fields),
        Input("a.xplane.pb.zst", (tests / "h200" / "jax_mlp.xplane.pb.zst").read_bytes(), PROFILE),
        Input("run_meta.pb", (tf / "twodev" / "run_meta_0.pb").read_bytes(),
              PROFILE + [["timeline", "--compat", "timeline.py", "-o", "OUT.json"],
                         ["graph", "variables", graph_path, "--run-meta={}"],
                         ["view", "op", f"--graph_path={graph_path}", "--run_meta_path={}"]], between_fields),
        Input("graph.pb", graph, [["graph"], ["graph", "json"], ["graph", "--json"], ["view", "scope", "--graph_path={}"]],
              between_fields),
        Input("profile.pb", (tf / "twodev" / "profile.pb").read_bytes(), [["view", "op", "--profile_path={}"]], between_fields),
        Input("op_log", (tf / "twodev" / "op_log").read_bytes(),
              [["view", "scope", f"--graph_path={graph_path}", "--op_log_path={}"], ["graph", graph_path, "--op-log={}"]],
              between_fields),
        Input("graph.pbtxt", (corpus / "graph_def" / "text").read_bytes(), [["graph"], ["view", "scope", "--graph_path={}"]],
              between_text_fields),
        Input(event.name, event.read_bytes(), EVENTS, between_records),
        Input("tiny.tfrecord", records.read_bytes(), RECORDS, between_records),
        Input("tiny.gzip.tfrecord", (tests / "dataset" / "tiny.gzip.tfrecord").read_bytes(), RECORDS),
        Input("tiny.npy", (tests / "dataset" / "tiny.npy").read_bytes(), [["data"], ["data", "--json"], ["data", "--csv"]]),
        Input("tiny.npz", (tests / "dataset" / "tiny.npz").read_bytes(), [["data"], ["data", "--json"]]),
        Input("tiny.tar", (tests / "dataset" / "tiny.tar").read_bytes(), [["data"], ["data", "--json"]],
              behind_end_mark),
        Input("tiny.parquet", (tests / "dataset" / "tiny.parquet").read_bytes(), [["data"], ["data", "--json"]]),
        Input("snapshot.pickle", (corpus / "pickle" / "snapshot.pickle").read_bytes(), [["memory"], ["memory", "--json"]]),
        Input("small.pftrace", (corpus / "perfetto" / "small.pftrace").read_bytes(), PROFILE, between_fields),
        Input("small.sqlite", (corpus / "nsys" / "small.sqlite").read_bytes(), PROFILE),
        Input("rocprof.json", (corpus / "rocprof_json" / "small.json").read_bytes(), PROFILE),
        Input("net.onnx", (corpus / "onnx" / "conv_net").read_bytes(), [["graph"], ["graph", "--json"]], between_fields),
    ]


def command(verb, path, out):
    """The words of a verb for this file."""
    words = [word.replace("{}", str(path)).replace("OUT", str(out)) for word in verb]
    return words if any("{}" in word for word in verb) else [*words, str(path)]
