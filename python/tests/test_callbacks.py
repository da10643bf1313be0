"""The callbacks with the real libraries; `make peers` installs them."""

import os

import pytest

import stepscope


def reason(library):
    return f"SKIPPED LOUDLY: {library} is not installed; its callback was not tested"


@pytest.fixture(autouse=True)
def in_a_folder(in_the_checkout, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_lightning():
    lightning = pytest.importorskip("lightning.pytorch", reason=reason("Lightning"))
    torch = pytest.importorskip("torch", reason=reason("PyTorch"))
    from stepscope.lightning import ProfileCallback

    class Model(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(32, 1)

        def training_step(self, batch, _):
            return self.layer(batch[0]).sum()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.01)

    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(200, 32)), batch_size=10)
    callback = ProfileCallback(steps=5, quiet=True)
    options = {"max_epochs": 1, "logger": False, "enable_checkpointing": False, "enable_progress_bar": False, "accelerator": "cpu"}
    lightning.Trainer(callbacks=[callback], **options).fit(Model(), data)
    assert callback.report.steps.count == 5
    assert len(callback.report.recording.steps) == 19

    class Broken(Model):
        def training_step(self, batch, index):
            if index == 3:
                raise KeyError("mine")
            return super().training_step(batch, index)

    with pytest.raises(KeyError):
        lightning.Trainer(callbacks=[callback], **options).fit(Broken(), data)
    assert stepscope.record(steps=1)._job is None  # and the next recording may begin
    with stepscope.record(quiet=True) as following:
        following.step()
        following.step()
    assert following.report is not None


def test_hugging_face():
    transformers = pytest.importorskip("transformers", reason=reason("transformers"))
    pytest.importorskip("accelerate", reason=reason("accelerate"))
    torch = pytest.importorskip("torch", reason=reason("PyTorch"))
    from stepscope.transformers import ProfileCallback

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(8, 1)

        def forward(self, x, labels=None):
            return {"loss": self.layer(x).sum()}

    data = [{"x": torch.ones(8), "labels": 0} for _ in range(40)]
    arguments = transformers.TrainingArguments(output_dir="out", per_device_train_batch_size=4, num_train_epochs=1, report_to=[],
                                               use_cpu=True, disable_tqdm=True, save_strategy="no")  # fmt: skip
    callback = ProfileCallback(steps=4, quiet=True)
    transformers.Trainer(Model(), arguments, train_dataset=data, callbacks=[callback]).train()
    assert callback.report.steps.count == 4
    assert len(callback.report.recording.steps) == 9


def test_ignite():
    engine = pytest.importorskip("ignite.engine", reason=reason("PyTorch Ignite"))
    torch = pytest.importorskip("torch", reason=reason("PyTorch"))
    from stepscope.ignite import ProfileHandler

    layer = torch.nn.Linear(32, 1)
    trainer = engine.Engine(lambda _, batch: layer(batch).sum().backward())
    handler = ProfileHandler(steps=5, quiet=True).attach(trainer)
    trainer.run([torch.ones(4, 32)] * 20)
    assert handler.report.steps.count == 5
    assert len(handler.report.recording.steps) == 19


def test_jax_loop():
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    jax = pytest.importorskip("jax", reason=reason("JAX"))
    import stepscope.jax

    work = jax.jit(lambda x: (x @ x).sum())
    data = jax.numpy.ones((256, 256))
    with stepscope.jax.StepProfiler(steps=5, quiet=True) as after_step:
        for _ in range(12):
            after_step(work(data))
    assert after_step.report.steps.count == 5
    assert len(after_step.report.recording.steps) == 11
