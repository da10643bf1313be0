"""The documents' own programs on a real TensorFlow, with only the import lines changed, and the guide's small tools."""

import collections
import json
import operator
import os
import time
import warnings

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
pytest.importorskip("tensorflow", reason="SKIPPED LOUDLY: TensorFlow is not installed; make peers brings it")

import tensorflow.compat.v1 as tf  # noqa: E402
import tensorflow as tf2  # noqa: E402

import stepscope  # noqa: E402
from documents import program_with, with_imports  # noqa: E402
from stepscope.tensorflow import timeline  # noqa: E402
from stepscope.tensorflow.profiler import model_analyzer, option_builder  # noqa: E402


@pytest.fixture
def graph_mode():
    with tf.Graph().as_default():
        yield


def is_product(event):
    """Where TensorFlow computes with oneDNN, it names the op _MklMatMul."""
    return event["ph"] == "X" and event["name"] in ("MatMul", "_MklMatMul")


@pytest.mark.documents
def test_a_timeline_of_one_run(graph_mode, tmp_path, monkeypatch):
    """The document's program: a run with FULL_TRACE, its timeline in a file."""
    monkeypatch.chdir(tmp_path)
    c = tf.matmul(tf.random_normal([100, 100]), tf.random_normal([100, 100]))
    exec(program_with("timeline.Timeline(run_metadata.step_stats)", "c_np"), {"tf": tf, "timeline": timeline, "c": c})
    trace = json.loads((tmp_path / "timeline.json").read_text())
    assert any(is_product(e) for e in trace["traceEvents"])


def test_several_runs_in_one_file(graph_mode, tmp_path):
    product = tf.matmul(tf.random_normal([200, 500]), tf.random_normal([500, 100]))
    merger = timeline.TimelineMerger()
    with tf.Session() as session:
        for _ in range(5):
            metadata = tf.RunMetadata()
            session.run(product, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
            merger.update_timeline(timeline.Timeline(metadata.step_stats).generate_chrome_trace_format())
    merger.save(str(tmp_path / "merged.json"))
    events = json.loads((tmp_path / "merged.json").read_text())["traceEvents"]
    assert sum(is_product(e) for e in events) == 5
    names = collections.Counter(e["args"]["name"] for e in events if e.get("name") == "process_name")
    assert max(names.values()) == 1


@pytest.mark.documents
def test_the_profiler_in_a_training_loop(graph_mode, tmp_path, capsys):
    """The document's program in its own order: import, make the profiler, add steps in the loop, build options."""
    images, labels = tf.placeholder(tf.float32, [None, 6]), tf.placeholder(tf.float32, [None, 2])
    with tf.variable_scope("siamese"):
        w = tf.get_variable("w", [6, 2])
        loss = tf.reduce_mean(tf.square(tf.matmul(images, w) - labels))
    with tf.Session() as session:
        names = {
            "images_placeholder": images,
            "labels_placeholder": labels,
            "loss": loss,
            "train_op": tf.train.GradientDescentOptimizer(0.1).minimize(loss),
            "init": tf.global_variables_initializer(),
            "images_feed": [[0.5] * 6] * 4,
            "labels_feed": [[1.0, 0.0]] * 4,
            "max_step": 12,
            "sess": session,
        }
        imports = with_imports(
            program_with("import model_analyzer", "import option_builder"),
            tensorflow="import tensorflow.compat.v1 as tf",
            model_analyzer="from stepscope.tensorflow.profiler import model_analyzer",
            option_builder="from stepscope.tensorflow.profiler import option_builder",
        )
        options = program_with("with_timeline_output", "with_min_bytes")
        # Two things of the document cannot run anywhere: a name it spells in two ways, and a folder of its own.
        options = options.replace("_opts_builder", "_opt_builder").replace("/tmp/", f"{tmp_path}/")
        for part in (imports, program_with("cmd='scope'"), program_with("graph_profiler.add_step"), options):
            exec(part, names)
        assert (tmp_path / "train_profiler.json_-1").exists()
        assert "Timeline file is written to" in capsys.readouterr().out
        shown = names["graph_profiler"].profile(option_builder.ProfileOptionBuilder().with_step(10).build())
        assert shown.name == "_TFProfRoot" and shown.total_exec_micros > 0
        assert "siamese" in capsys.readouterr().out


def test_checking_for_nan_in_a_session(graph_mode):
    """add_check_numerics_ops, with the op named."""
    x = tf.placeholder(tf.float32, [3], name="x")
    with tf.name_scope("model"):
        y = tf.log(x, name="log_of_input")
        loss = tf.reduce_sum(y * 2.0, name="loss")
    with tf.Session() as session:
        checked = stepscope.nan.watch(session)
        assert checked.run(loss, {x: [1.0, 1.0, 1.0]}) == 0
        with pytest.raises(stepscope.nan.NotFinite) as caught:
            checked.run([loss], feed_dict={x: [1.0, -1.0, 0.0]})
        assert caught.value.op.startswith("model/log_of_input")
        assert "model/log_of_input" in str(caught.value)
        assert isinstance(caught.value.__cause__, tf.errors.InvalidArgumentError)
        before = len(session.graph.get_operations())
        assert checked.run({"l": loss}, {x: [1.0, 1.0, 1.0]})["l"] == 0
        assert len(session.graph.get_operations()) == before


def test_checking_a_graph_with_a_loop(graph_mode):
    """add_check_numerics_ops refuses such graphs; here the loop's own ops are left out and named."""
    tf.disable_control_flow_v2()
    x = tf.placeholder(tf.float32, [2], name="x")
    _, y = tf.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, v * 2.0), [0, x])
    tf.enable_control_flow_v2()
    z = tf.sqrt(y, name="root")
    with tf.Session() as session:
        checked = stepscope.nan.watch(session)
        assert list(checked.run(z, {x: [2.0, 8.0]})) == [4.0, 8.0]
        assert checked.unchecked
        with pytest.raises(stepscope.nan.NotFinite) as caught:
            checked.run(z, {x: [-1.0, 1.0]})
        assert caught.value.op.startswith("root")


def test_checking_for_nan_in_tensorflow_2():
    with pytest.raises(stepscope.nan.NotFinite) as caught:
        with stepscope.nan.watch():
            tf2.math.log(tf2.constant([1.0, 0.0]))
    assert caught.value.op_type == "Log" and "Log" in str(caught.value)
    with stepscope.nan.watch():
        assert float(tf2.reduce_sum(tf2.constant([1.0, 2.0]))) == 3.0
    assert not tf2.math.is_finite(tf2.math.log(tf2.constant(0.0)))  # nobody watches any more
    with pytest.raises(tf2.errors.InvalidArgumentError):
        with stepscope.nan.watch():
            tf2.reshape(tf2.constant([1.0, 2.0]), [3])


def test_nan_of_a_model_that_was_fitted_before():
    """Functions that were traced before the watch hold no checks; the watch must find the op all the same."""
    keras = tf2.keras

    class Logarithm(keras.layers.Layer):
        def call(self, x):
            return tf2.math.log(x)

    model = keras.Sequential([keras.Input((2,)), Logarithm(), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(tf2.ones([8, 2]), tf2.ones([8, 1]), verbose=0)
    with pytest.raises(stepscope.nan.NotFinite) as caught:
        with stepscope.nan.watch(model):
            model.fit(tf2.zeros([8, 2]), tf2.ones([8, 1]), verbose=0)
    assert caught.value.op_type == "Log"
    assert "test_documents.py" in caught.value.line and "return tf2.math.log(x)" in caught.value.line
    assert not tf2.config.functions_run_eagerly()
    model.fit(tf2.zeros([8, 2]), tf2.ones([8, 1]), verbose=0)  # nobody watches any more


def test_dumping_and_hunting(tmp_path, capsys):
    @tf2.function
    def step(x):
        return tf2.reduce_sum(tf2.math.log(x, name="log_of_zero") * 2.0)

    with stepscope.nan.watch(dump=tmp_path / "dump") as hunt:
        step(tf2.constant([1.0, 0.0]))
    assert hunt.found["source"]["op_type"] == "Log" and hunt.found["source"]["where"] == "graph"
    assert "Log" in capsys.readouterr().out
    assert float(step(tf2.constant([1.0, 1.0]))) == 0  # goes on writing, and must not crash
    with stepscope.nan.watch(dump=True) as hunt:
        tf2.reduce_sum(tf2.constant([1.0, 2.0]))
    assert hunt.found is None


def test_freezing_variables(graph_mode):
    x = tf.placeholder(tf.float32, [None, 4])
    with tf.variable_scope("frozen_encoder"):
        h = tf.matmul(x, tf.get_variable("w", [4, 10]))
    with tf.variable_scope("head"):
        loss = tf.reduce_sum(tf.matmul(h, tf.get_variable("w", [10, 3])) + tf.get_variable("b", [3]))
    tvars = stepscope.tensorflow.trainable_variables(exclude="frozen")
    assert [v.op.name for v in tvars] == ["head/w", "head/b"]
    assert [v.op.name for v in tvars.frozen] == ["frozen_encoder/w"]
    assert (tvars.saves.parameters, tvars.saves.all_parameters) == (40, 73)
    assert tvars.saves.gradient_bytes == 160 and tvars.saves.slot_bytes == 320
    assert "40 of 73 parameters (54.8 %)" in str(tvars.saves)
    # the saving is real: Adam makes that many bytes of slots less
    optimizer = tf.train.AdamOptimizer(0.01)
    optimizer.apply_gradients(zip(tf.gradients(loss, tvars), tvars))
    slots = sum(v.shape.num_elements() * 4 for v in optimizer.variables() if v.shape.num_elements() > 1)
    everything = tf.trainable_variables()
    assert slots == 2 * 4 * (73 - 40)
    assert len(everything) == 3
    assert list(stepscope.tensorflow.trainable_variables(tf.get_default_graph())) == everything


def test_freezing_a_keras_model():
    keras = tf2.keras
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(10, name="frozen"), keras.layers.Dense(3)])
    tvars = stepscope.tensorflow.trainable_variables(model, exclude=["frozen"], optimizer_slots=1)
    assert len(tvars) == 2 and len(tvars.frozen) == 2
    assert tvars.saves.parameters == 50 and tvars.saves.gradient_bytes == 200 == tvars.saves.slot_bytes


def devices_of_layers(setter, resource):
    with tf.Graph().as_default() as graph:
        with tf.device(setter):
            x = tf.ones([2, 8], name="x")
            for i, size in enumerate([16, 4, 4, 32, 2, 8]):
                x = tf.matmul(x, tf.get_variable(f"w{i}", [x.shape[1], size], use_resource=resource))
        return {op.name: op.device for op in graph.get_operations()}


@pytest.mark.parametrize("resource", [False, True])
def test_variables_go_to_the_least_loaded_device(resource):
    setter = stepscope.tensorflow.LeastLoadedDeviceSetter("/cpu:0", ["/gpu:0", "/gpu:1"])
    devices = devices_of_layers(setter, resource)
    sizes = [8 * 16, 16 * 4, 4 * 4, 4 * 32, 32 * 2, 2 * 8]
    loads, expected = [0, 0], []
    for size in sizes:
        at = loads.index(min(loads))
        expected.append(f"/gpu:{at}")
        loads[at] += 4 * size
    assert [devices[f"w{i}"] for i in range(6)] == expected
    assert setter.ps_sizes == loads
    assert devices["MatMul"] == devices["x"] == "/cpu:0"


@pytest.mark.documents
def test_variables_go_where_the_guide_puts_them():
    """Without resource variables: the guide's class cannot weigh those, a handle has one element whatever it stands for."""
    names = {"operator": operator, "tf": tf}
    exec(program_with("class GpuParamServerDeviceSetter"), names)
    ours = stepscope.tensorflow.LeastLoadedDeviceSetter("/cpu:0", ["/gpu:0", "/gpu:1"])
    theirs = names["GpuParamServerDeviceSetter"]("/cpu:0", ["/gpu:0", "/gpu:1"])
    assert devices_of_layers(theirs, False) == devices_of_layers(ours, False)


def test_variables_on_the_cpu():
    with tf.Graph().as_default() as graph, tf.device(stepscope.tensorflow.variables_on_cpu("/gpu:1")):
        tf.matmul(tf.ones([2, 2]), tf.get_variable("w", [2, 2]), name="product")
    assert graph.get_operation_by_name("w").device == "/cpu:0"
    assert graph.get_operation_by_name("product").device == "/gpu:1"


def test_input_bound():
    """Against pipelines whose cost is known: 8 ms of input before 2 ms of work, and the other way round."""
    def dataset(seconds):
        def slow(i):
            time.sleep(seconds)
            return i

        data = tf2.data.Dataset.range(10**6)
        return lambda: data.map(lambda i: tf2.py_function(slow, [i], tf2.int64)).prefetch(1)

    def work(seconds):
        def step(batch):
            time.sleep(seconds)
            return batch + 1
        return step

    slow_input = stepscope.tensorflow.is_input_bound(work(0.002), dataset(0.008), steps=30)
    assert slow_input and slow_input.share > 0.5, str(slow_input)
    assert "input is the limit" in str(slow_input)
    fast_input = stepscope.tensorflow.is_input_bound(work(0.02), dataset(0.0005), steps=20, threshold=0.25)
    assert not fast_input, str(fast_input)
    with pytest.raises(ValueError, match="no batch"):
        stepscope.tensorflow.is_input_bound(work(0), list)


def test_thread_settings_are_taken():
    settings = stepscope.tensorflow.thread_settings()
    config = tf.ConfigProto(**settings)
    assert config.intra_op_parallelism_threads == settings["intra_op_parallelism_threads"] >= 1
    assert settings["intra_op_parallelism_threads"] <= len(os.sched_getaffinity(0))
    assert stepscope.tensorflow.thread_settings(quota=1.5)["intra_op_parallelism_threads"] == 1
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        assert session.run(tf.constant(3.0) * 2.0) == 6.0


def test_a_keras_callback(tmp_path, capsys, has_page):
    keras = tf2.keras
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    data = tf2.data.Dataset.from_tensor_slices((tf2.random.normal([400, 8]), tf2.random.normal([400, 1]))).batch(8)
    callback = stepscope.tensorflow.ProfileCallback(tmp_path / "logs", profile_batch="20,30")
    model.fit(data, epochs=1, validation_data=data.take(2), callbacks=[callback], verbose=0)
    assert list((tmp_path / "logs" / "plugins" / "profile").glob("*/*.xplane.pb"))
    said = capsys.readouterr().out
    assert "stepscope: " in said
    if has_page:
        assert "report.html" in said
        assert (tmp_path / "logs" / "report.html").stat().st_size > 50_000
    steps = callback.profile.report().steps
    assert 9 <= steps.count <= 11, steps.count


def small_model():
    keras = tf2.keras
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    return model


class StopsAt(tf2.keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        if batch == 6:
            raise KeyError("mine")


def test_an_exception_in_the_window_leaves_no_profiler_running(tmp_path):
    data = (tf2.ones([80, 2]), tf2.ones([80, 1]))
    broken = stepscope.tensorflow.ProfileCallback(tmp_path / "broken", profile_batch="5,9", html=False, quiet=True)
    with pytest.raises(KeyError):
        small_model().fit(*data, batch_size=8, verbose=0, callbacks=[broken, StopsAt()])
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        whole = stepscope.tensorflow.ProfileCallback(tmp_path / "whole", profile_batch="3,7", html=False, quiet=True)
        small_model().fit(*data, batch_size=8, verbose=0, callbacks=[whole])
    assert whole.report.steps.count == 5
    tf2.profiler.experimental.start(str(tmp_path / "own"))  # the program's own profiler finds its place free
    tf2.profiler.experimental.stop()


def test_what_goes_wrong_in_a_window_does_not_stop_training(tmp_path):
    data = (tf2.ones([80, 2]), tf2.ones([80, 1]))
    (tmp_path / "file").write_text("")
    unwritable = stepscope.tensorflow.ProfileCallback(tmp_path / "file" / "below", profile_batch="3,7", quiet=True)
    with pytest.warns(RuntimeWarning):
        history = small_model().fit(*data, batch_size=8, verbose=0, callbacks=[unwritable])
    assert len(history.history["loss"]) == 1 and unwritable.report is None
    tf2.profiler.experimental.start(str(tmp_path / "own"))
    try:
        second = stepscope.tensorflow.ProfileCallback(tmp_path / "second", profile_batch="3,7", quiet=True)
        with pytest.warns(RuntimeWarning):
            history = small_model().fit(*data, batch_size=8, verbose=0, callbacks=[second])
        assert len(history.history["loss"]) == 1
    finally:
        tf2.profiler.experimental.stop()  # still the program's own


def test_a_window_that_never_comes(tmp_path):
    keras = tf2.keras
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    callback = stepscope.tensorflow.ProfileCallback(tmp_path / "logs", profile_batch=(500, 520))
    with pytest.warns(RuntimeWarning, match="begins at 500: nothing was recorded"):
        model.fit(tf2.ones([4, 2]), tf2.ones([4, 1]), verbose=0, callbacks=[callback])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quiet = stepscope.tensorflow.ProfileCallback(tmp_path / "logs", profile_batch=0)
        model.fit(tf2.ones([4, 2]), tf2.ones([4, 1]), verbose=0, callbacks=[quiet])
    for bad in ("a,b", (3, 2), (1, 2, 3), -1, None, (0, 5), ""):
        with pytest.raises(ValueError, match="profile_batch"):
            stepscope.tensorflow.ProfileCallback("logs", profile_batch=bad)


def test_keras_2(tmp_path):
    os.environ["TF_USE_LEGACY_KERAS"] = "1"
    keras = pytest.importorskip("tf_keras", reason="SKIPPED LOUDLY: tf_keras (Keras 2) is not installed")
    model = keras.Sequential([keras.layers.Dense(4, input_shape=(8,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    callback = stepscope.tensorflow.ProfileCallback(tmp_path / "logs", profile_batch="5,10", html=False, quiet=True)
    model.fit(tf2.random.normal([160, 8]), tf2.random.normal([160, 1]), batch_size=8, verbose=0, callbacks=[callback])
    assert list((tmp_path / "logs" / "plugins" / "profile").glob("*/*.xplane.pb"))
    assert 4 <= callback.profile.report().steps.count <= 6
