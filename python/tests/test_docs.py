"""The examples in docstrings and in docs/python.md run."""

import builtins
import doctest
import importlib
import pathlib
import pkgutil
import re

import pytest

import stepscope

NAMES = {"stepscope": stepscope, "builtins": builtins}
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
CORE = ("stepscope._profile", "stepscope._report", "stepscope._table", "stepscope._errors", "stepscope._html", "stepscope._notebook", "stepscope._record", "stepscope._recording")


@pytest.mark.parametrize("name", ("stepscope", *CORE))
def test_docstrings(name, tmp_path):
    module = importlib.import_module(name)
    failed, ran = doctest.testmod(module, extraglobs={**NAMES, "TMP": str(tmp_path)}, optionflags=OPTIONS)
    assert not failed
    if name in ("stepscope", "stepscope._profile", "stepscope._table"):
        assert ran


def test_every_module_has_a_docstring():
    for module in pkgutil.iter_modules(stepscope.__path__):
        if module.name.startswith("_") and module.name != "_native":
            assert importlib.import_module(f"stepscope.{module.name}").__doc__, module.name


def test_the_page_of_the_docs(tmp_path, monkeypatch):
    page = pathlib.Path("docs/python.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.S)
    assert blocks
    pytest.importorskip("numpy", reason="SKIPPED: numpy is not installed")
    names = dict(NAMES, TMP=str(tmp_path))
    for block in blocks:
        if ">>>" not in block:
            continue
        test = doctest.DocTestParser().get_doctest(block, names, "docs/python.md", "docs/python.md", 0)
        runner = doctest.DocTestRunner(optionflags=OPTIONS)
        assert runner.run(test, clear_globs=False).failed == 0
        names = test.globs
