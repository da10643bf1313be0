"""The type stubs: they say what is there, and a checker accepts a program that uses them."""

import ast
import importlib
import json
import pathlib
import subprocess
import sys

import pytest

import stepscope

PACKAGE = pathlib.Path(stepscope.__file__).parent
# Modules that import the library they are named after are tested with it (test_callbacks.py).
FOREIGN = {"lightning", "transformers", "ignite"}
STUBS = sorted(str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.pyi") if path.stem not in FOREIGN)
# Modules whose names begin with an underscore and that hold nothing a caller gets to see need no stub.
PRIVATE = {"_answers", "_binary", "_columns", "_html", "_html_words", "_interchange", "_messages", "_notebook", "_progress", "_told", "_table_text", "_protos", "_options", "__main__"}


def module_of(stub):
    return ".".join(["stepscope", *pathlib.PurePath(stub).with_suffix("").parts]).removesuffix(".__init__")


def test_every_module_that_people_see_has_a_stub():
    # stepscope.fleet is all Python and says its types in its sources.
    sources = [path for path in PACKAGE.rglob("*.py") if path.parent.name not in ("fleet", "_hook")]
    without = {path.stem for path in sources if not path.with_suffix(".pyi").exists()}
    assert without == PRIVATE


def declared(body):
    """Public names of a stub or of a class in it; imports count where they are spelt `x as x`."""
    found = set()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            found.add(node.target.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {alias.asname for alias in node.names if alias.asname == alias.name}
    return {name for name in found if not name.startswith("_")}


def classes(body):
    return {node.name: node for node in body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")}


@pytest.mark.parametrize("stub", STUBS)
def test_stubs_name_what_the_module_has(stub):
    """Every public name of the module and of its classes is in the stub, and what the stub names is there."""
    module = importlib.import_module(module_of(stub))
    body = ast.parse((PACKAGE / stub).read_text()).body
    names = declared(body)
    if hasattr(module, "__all__"):
        public = set(module.__all__)
        assert {name for name in public if not name.startswith("_")} <= names
        assert names - {"load_ipython_extension"} <= public  # that one is for IPython
    else:
        source = ast.parse((PACKAGE / stub).with_suffix(".py").read_text()).body
        defined = {n.name for n in source if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and not n.name.startswith("_")}
        assert defined <= names
        aliases = {n.targets[0].id for n in body if isinstance(n, ast.Assign)}
        assert all(hasattr(module, name) for name in names - aliases), names
    for name, node in classes(body).items():
        runtime = vars(getattr(module, name))
        methods = {n.name for n in node.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")}
        public = {n for n, value in runtime.items() if not n.startswith("_") and (callable(value) or isinstance(value, property))}
        assert public <= methods | declared(node.body), name
        assert methods <= {*runtime, *dir(getattr(module, name))}, name


def test_the_package_says_that_it_has_types():
    assert (PACKAGE / "py.typed").exists()
    public = declared(ast.parse((PACKAGE / "__init__.pyi").read_text()).body)
    assert {"Profile", "Report", "Table", "ReadError", "tensorflow", "torch", "jax", "events", "nan", "gpus"} <= public


def test_a_checker_compares_them_with_the_package(tmp_path):
    """mypy's stubtest: signatures, defaults and kinds of every name, against the modules as they are imported."""
    pytest.importorskip("mypy", reason="SKIPPED: mypy is not installed")
    # The recorder's hook runs in programs of any Python; it has no stubs and no types.
    (tmp_path / "mypy.ini").write_text("[mypy]\nignore_missing_imports = True\n[mypy-stepscope._hook.*]\nignore_errors = True\n")
    # It takes a Literal of several values for a Union, which it is not at run time, and functions with a cache for others than
    # their sources say.
    allowed = ["stepscope\\._columns\\.[A-Za-z]+Column", "stepscope\\._hook\\..*", "stepscope\\.fleet\\._statistics\\._.*",
               *(f"stepscope\\.{name}" for name in sorted(FOREIGN))]
    (tmp_path / "allowed").write_text("\n".join(allowed))
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "stepscope", "--concise", "--mypy-config-file", "mypy.ini", "--allowlist", "allowed",
             "--ignore-unused-allowlist"],
        capture_output=True, text=True, cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


# A user's program; the lines below are mistakes.
PROGRAM = (
    "import stepscope\n"
    "from stepscope.tensorflow import is_input_bound, profiler\n"
    "with stepscope.open('x', threads=2) as profile:\n"
    "    bound: str = profile.report().verdict.bound_by\n"
    "    rows: int = len(profile.kernels)\n"
    "    calls = profile.ops['calls']\n"
    "    profile.ops['cals']\n"
    "    for finding in profile.findings:\n"
    "        print(finding.title, finding.rul)\n"
    "    profile.save_html(b'x')\n"
    "stepscope.open(5)\n"
    "options = profiler.ProfileOptionBuilder().with_max_depth(4).order_by('micros').build()\n"
    "profiler.Profiler().profile_name_scope(options)\n"
    "waits: bool = bool(is_input_bound(lambda batch: batch + 1, lambda: [1, 2]))\n"
    "for step, metrics in stepscope.events.read_eval_metrics('eval').items():\n"
    "    value: float = metrics['loss'] * step\n"
    "stepscope.gpus.pick('two')\n"
    "profile.view('scop')\n"
    "profile.report().verdct\n"
    "durations = [step.duration_ns + 1 for step in profile.report().steps.items]\n"
    "profile.kernels.sort('cals')\n"
    "stepscope.diff('a', 'b', by='opp')\n"
    "with stepscope.record(steps='five') as recording:\n"
    "    recording.step()\n"
)
MISTAKES = (7, 9, 10, 11, 17, 18, 19, 21, 22, 23)


def test_mypy_finds_the_mistakes_of_a_program(tmp_path):
    pytest.importorskip("mypy", reason="SKIPPED: mypy is not installed")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    out = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(program)], capture_output=True, text=True
    ).stdout
    for line in MISTAKES:
        assert f"program.py:{line}: error" in out, out
    assert f"Found {len(MISTAKES)} errors" in out, out


def test_pyright_finds_the_mistakes_of_a_program(tmp_path):
    pytest.importorskip("pyright", reason="SKIPPED: pyright is not installed; make peers has it")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run([sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, str(program)],
                          capture_output=True, text=True, cwd=tmp_path)
    said = json.loads(done.stdout)["generalDiagnostics"]
    errors = {each["range"]["start"]["line"] + 1 for each in said if each["severity"] == "error"}
    assert errors == set(MISTAKES), done.stdout


def test_answers_are_typed_as_the_schema_says():
    root = pathlib.Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, root / "python/build/answer_types.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
