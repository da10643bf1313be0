"""Against a real TensorFlow: the documents' programs with other import lines, and what TensorFlow itself answers."""

import collections
import glob
import json
import operator
import os
import random
import subprocess
import sys

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
tf = pytest.importorskip("tensorflow", reason="SKIPPED LOUDLY: TensorFlow is not installed; make peers brings it")
tf1 = tf.compat.v1

import stepscope  # noqa: E402
from stepscope.tensorflow import timeline  # noqa: E402
from stepscope.tensorflow.profiler import model_analyzer, option_builder  # noqa: E402


def toy_model():
    """A graph with scopes, an unknown batch size, a loop, gradients: (placeholder, fetches)."""
    x = tf1.placeholder(tf.float32, [None, 8], name="x")
    with tf1.variable_scope("encoder"):
        w = tf1.get_variable("w", [8, 16])
        h = tf.nn.relu(tf.matmul(x, w))
    with tf1.variable_scope("frozen"):
        v = tf1.get_variable("v", [16, 4])
        y = tf.nn.softmax(tf.matmul(h, v) + tf1.get_variable("b", [4]))
    _, z = tf1.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, a * 1.5), [0, y], name="loop")
    loss = tf.reduce_mean(tf.square(z), name="loss")
    return x, [tf1.train.GradientDescentOptimizer(0.1).minimize(loss), loss]


def traced(steps=2):
    """(graph, run metadata of so many steps)"""
    graph = tf.Graph()
    runs = []
    with graph.as_default():
        x, fetches = toy_model()
        with tf1.Session(graph=graph) as session:
            session.run(tf1.global_variables_initializer())
            for step in range(steps):
                meta = tf1.RunMetadata()
                session.run(
                    fetches,
                    {x: [[0.1 * i for i in range(8)]] * (step + 2)},
                    options=tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE),
                    run_metadata=meta,
                )
                runs.append(meta)
    return graph, runs


@pytest.fixture(scope="module")
def model():
    return traced()


# ---- timelines


@pytest.mark.parametrize("memory", [False, True])
@pytest.mark.parametrize("op_time", ["schedule", "gpu", "all"])
def test_timeline_is_tensorflows(model, memory, op_time):
    from tensorflow.python.client import timeline as theirs

    for meta in model[1]:
        ours = timeline.Timeline(meta.step_stats).generate_chrome_trace_format(True, memory, op_time)
        copy = tf1.RunMetadata.FromString(meta.SerializeToString())
        assert ours == theirs.Timeline(copy.step_stats).generate_chrome_trace_format(True, memory, op_time)
        assert ours == timeline.Timeline(meta.SerializeToString()).generate_chrome_trace_format(True, memory, op_time)
        assert ours == timeline.Timeline(meta).generate_chrome_trace_format(True, memory, op_time)


def test_analysis_is_tensorflows(model):
    from tensorflow.python.client import timeline as theirs

    copy = tf1.RunMetadata.FromString(model[1][0].SerializeToString())
    wanted = theirs.Timeline(copy.step_stats).analyze_step_stats()
    got = timeline.Timeline(model[1][0].step_stats).analyze_step_stats()
    assert got.allocator_maximums == wanted.allocator_maximums
    assert got.chrome_trace.format_to_string() == wanted.chrome_trace.format_to_string()
    assert got.chrome_trace.format_to_string(pretty=True) == wanted.chrome_trace.format_to_string(pretty=True)


def test_improved_timeline_has_every_op(model):
    trace = json.loads(timeline.Timeline(model[1][0].step_stats).generate_chrome_trace_format(improved=True))
    rows = sum(len(d.node_stats) for d in model[1][0].step_stats.dev_stats)
    assert sum(e["ph"] == "X" and e.get("cat") != "step" for e in trace["traceEvents"]) >= rows


def test_merged_timeline(model, tmp_path):
    """The merge of the document, without its faults: ids are not used twice and every run has its band."""
    merger = timeline.TimelineMerger()
    for meta in model[1]:
        merger.update_timeline(timeline.Timeline(meta.step_stats).generate_chrome_trace_format())
    merger.save(tmp_path / "merged.json")
    events = json.loads((tmp_path / "merged.json").read_text())["traceEvents"]
    ops = sum(len(d.node_stats) for meta in model[1] for d in meta.step_stats.dev_stats)
    assert sum(e["ph"] == "X" for e in events) >= ops
    starts = collections.Counter(e["id"] for e in events if e["ph"] == "s")
    assert set(starts.values()) <= {1}
    assert stepscope.open(tmp_path / "merged.json").report()["schema"]


# ---- the profiler

COLUMNS = ["bytes", "micros", "params", "float_ops", "tensor_value", "device", "op_types", "occurrence", "input_shapes"]
COLUMNS += ["accelerator_micros", "cpu_micros", "peak_bytes", "residual_bytes", "output_bytes"]
ORDERS = ["name", "bytes", "peak_bytes", "micros", "cpu_micros", "params", "float_ops", "occurrence", "", "depth"]
TYPES = [".*", "MatMul", "Var.*", "_trainable_variables", ".*cpu.*", "Mul|Add.*", "NothingLikeThis", ".*Grad"]
NAMES = [".*", "encoder.*", "frozen/.*", ".*loop.*", "gradients.*", "none", ".*MatMul"]
VIEWS = {"scope": "profile_name_scope", "graph": "profile_graph", "op": "profile_operations", "code": "profile_python"}


def random_options(rng, view):
    options = {
        "max_depth": rng.choice([1, 2, 3, 5, 10, 10000]),
        "step": rng.choice([-1, -1, 0, 1, 7]),
        "order_by": rng.choice(ORDERS),
        "account_type_regexes": rng.choice([[".*"]] * 3 + [rng.sample(TYPES, 2), []]),
        "start_name_regexes": rng.choice([[".*"]] * 4 + [[rng.choice(NAMES)]]),
        "trim_name_regexes": rng.choice([[]] * 4 + [[rng.choice(NAMES[1:])]]),
        "show_name_regexes": rng.choice([[".*"]] * 4 + [[rng.choice(NAMES)]]),
        "hide_name_regexes": rng.choice([[]] * 4 + [[rng.choice(NAMES)]]),
        "account_displayed_op_only": rng.random() < 0.4,
        "select": rng.sample(COLUMNS, rng.randint(0, 6)),
    }
    for key in ("min_bytes", "min_micros", "min_params", "min_float_ops", "min_occurrence", "min_peak_bytes"):
        if rng.random() < 0.15:
            options[key] = rng.choice([1, 10, 100])
    return options


def test_profiler_is_tensorflows(model, tmp_path):
    """300 random views of several steps: the same text and the same message."""
    from tensorflow.python.profiler import model_analyzer as theirs_module

    graph, runs = model
    theirs, ours = theirs_module.Profiler(graph), model_analyzer.Profiler(graph)
    for step, meta in enumerate(runs):
        theirs.add_step(step, meta)
        ours.add_step(step, meta)
    rng = random.Random(20260)
    compared = 0
    for _ in range(300):
        view = rng.choice(list(VIEWS))
        options = random_options(rng, view)
        texts, messages = [], []
        for each, file in ((theirs, "theirs"), (ours, "ours")):
            options["output"] = f"file:outfile={tmp_path / file}"
            messages.append(getattr(each, VIEWS[view])(options))
            path = tmp_path / file
            texts.append(path.read_text() if path.exists() else None)
            path.unlink(missing_ok=True)
        assert texts[0] == texts[1], (view, options)
        assert type(messages[0]) is type(messages[1])
        assert messages[0] == messages[1], (view, options)
        compared += texts[0] is not None
    assert compared > 200
    for output in ("none", "timeline", "pprof", "bogus", "file", "timeline:outfile=", "file:what=1"):
        for view in VIEWS.values():
            options = {**option_builder.ProfileOptionBuilder.time_and_memory(), "output": output}
            if output in ("timeline", "pprof"):
                options["output"] += f":outfile={tmp_path}/{output}"
                options["select"] = ["micros"]
            assert getattr(theirs, view)(options) == getattr(ours, view)(options), (view, output)
    assert theirs.advise(theirs_module.ALL_ADVICE) == ours.advise(model_analyzer.ALL_ADVICE)
    assert theirs.advise({}) == ours.advise({})

    from tensorflow.core.profiler import tfprof_log_pb2

    wanted, got = (tfprof_log_pb2.ProfileProto.FromString(p.serialize_to_string()) for p in (theirs, ours))
    assert {n.name: n.op for n in got.nodes.values()} == {n.name: n.op for n in wanted.nodes.values()}
    assert sorted(got.steps) == sorted(wanted.steps)
    execs = [{n.name: dict(n.execs) for n in p.nodes.values()} for p in (wanted, got)]
    assert execs[0] == execs[1]


def said(function, *args, **kwargs):
    """Standard output of a call, that of TensorFlow's C++ side included."""
    import tempfile

    with tempfile.TemporaryFile() as file:
        sys.stdout.flush()
        kept = os.dup(1)
        os.dup2(file.fileno(), 1)
        try:
            result = function(*args, **kwargs)
            sys.stdout.flush()
        finally:
            os.dup2(kept, 1)
            os.close(kept)
        file.seek(0)
        return file.read().decode(), result


@pytest.mark.parametrize("cmd", ["scope", "graph", "op", "code"])
def test_profile_function_is_tensorflows(model, cmd, capfd):
    from tensorflow.python.profiler import model_analyzer as theirs

    graph, runs = model
    for meta in (None, runs[0]):
        for options in (0, option_builder.ProfileOptionBuilder.float_operation()):
            wanted = theirs.profile(graph, meta, cmd=cmd, options=options)
            text = capfd.readouterr().out
            got = model_analyzer.profile(graph, meta, cmd=cmd, options=options)
            assert capfd.readouterr().out == text
            assert got == wanted


def test_unknown_command_and_options(model):
    from tensorflow.python.profiler import model_analyzer as theirs

    graph, _ = model
    for bad in ({"max_depth": "3"}, {"max_depth": 1.5}, {"max_depth": 1 << 70}, {"order_by": 3}, {"select": [1]}):
        errors = []
        for each in (theirs, model_analyzer):
            with pytest.raises((TypeError, ValueError)) as caught:
                each.profile(graph, options=bad)
            errors.append((caught.type, str(caught.value)))
        assert errors[0] == errors[1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="unknown cmd: tree"):
        model_analyzer.profile(graph, cmd="tree")
    with pytest.raises(TypeError, match="takes a RunMetadata, not a StepStats"):
        model_analyzer.Profiler(graph).add_step(0, model[1][0].step_stats)
    with pytest.raises(TypeError, match="takes a StepStats, not a GraphDef"):
        timeline.Timeline(graph.as_graph_def())


def test_builder_is_tensorflows():
    from tensorflow.python.profiler import option_builder as theirs

    def built(builder):
        return [
            builder().build(),
            builder.trainable_variables_parameter(),
            builder.float_operation(),
            builder.time_and_memory(),
            builder.time_and_memory(2, 3, 4, 5, 6, 7, 8),
            (
                builder(builder.time_and_memory())
                .with_max_depth(3)
                .with_min_memory(1, 2, 3, 4)
                .with_min_execution_time(5, 6, 7)
                .with_min_parameters(8)
                .with_min_occurrence(9)
                .with_min_float_operations(10)
                .with_accounted_types(["a"])
                .with_node_names(["b"], ["c"], ["d"], ["e"])
                .account_displayed_op_only(False)
                .order_by("bytes")
                .select(["params"])
                .with_step(4)
                .build()
            ),
            *(getattr(builder(), f"with_{kind}_output")("f").build() for kind in ("file", "timeline", "pprof")),
            builder().with_empty_output().build(),
            builder().with_stdout_output().build(),
        ]

    assert built(option_builder.ProfileOptionBuilder) == built(theirs.ProfileOptionBuilder)
    names = {n for n in dir(theirs.ProfileOptionBuilder) if not n.startswith("_")}
    assert names <= set(dir(option_builder.ProfileOptionBuilder))


def test_write_op_log_is_tensorflows(model, tmp_path):
    from tensorflow.core.profiler import tfprof_log_pb2
    from tensorflow.python.profiler import tfprof_logger

    for writer, folder in ((tfprof_logger.write_op_log, "theirs"), (stepscope.tensorflow.write_op_log, "ours")):
        (tmp_path / folder).mkdir()
        writer(model[0], str(tmp_path / folder), run_meta=model[1][0])
    wanted, got = (
        tfprof_log_pb2.OpLogProto.FromString((tmp_path / f / "tfprof_log").read_bytes()) for f in ("theirs", "ours")
    )
    assert got == wanted and len(got.log_entries) > 50


def test_without_tensorflow_the_fields_are_the_same(model, tmp_path):
    """The same view in a process that never imports TensorFlow: objects with the fields of the messages."""
    graph, runs = model
    (tmp_path / "graph.pb").write_bytes(graph.as_graph_def(add_shapes=True).SerializeToString())
    (tmp_path / "run.pb").write_bytes(runs[0].SerializeToString())
    program = """
import sys
from stepscope.tensorflow.profiler import Profiler, ProfileOptionBuilder
p = Profiler(sys.argv[1], None)
p.add_step(0, sys.argv[2])
def show(node, depth=0):
    print(depth, node.name, node.exec_micros, node.total_requested_bytes, list(getattr(node, "devices", [])),
          {k: [d.size for d in v.dim] for k, v in sorted(getattr(node, "input_shapes", {}).items())})
    for child in node.children:
        show(child, depth + 1)
options = ProfileOptionBuilder(ProfileOptionBuilder.time_and_memory()).with_empty_output().build()
show(p.profile_name_scope(options)); show(p.profile_operations(options))
assert "tensorflow" not in sys.modules
"""
    command = [sys.executable, "-c", program, str(tmp_path / "graph.pb"), str(tmp_path / "run.pb")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    got = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    script = program.replace('assert "tensorflow" not in sys.modules', "")
    got_with = subprocess.run(
        [sys.executable, "-c", "import tensorflow\n" + script, *command[3:]],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    ).stdout
    assert got == got_with and got.count("\n") > 20
