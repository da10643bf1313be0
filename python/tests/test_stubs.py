"""The type stubs: they say what is there, and a checker accepts a program that uses them."""

import ast
import pathlib
import subprocess
import sys

import pytest

import stepscope

PACKAGE = pathlib.Path(stepscope.__file__).parent
MODULES = ("_errors", "_profile", "_report", "_table")


@pytest.mark.parametrize("name", MODULES)
def test_stubs_name_what_the_module_has(name):
    """Every public class and method of the module is in its stub, and the other way round."""

    def names(path):
        found = set()
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                found.add(node.name)
                for member in getattr(node, "body", []):
                    if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
                        found.add(f"{node.name}.{member.name}")
        return found

    assert names(PACKAGE / f"{name}.py") == names(PACKAGE / f"{name}.pyi")


def test_the_package_says_that_it_has_types():
    assert (PACKAGE / "py.typed").exists()
    public = {node.asname for node in ast.walk(ast.parse((PACKAGE / "__init__.pyi").read_text())) if isinstance(node, ast.alias)}
    assert {"Profile", "Report", "Table", "ReadError"} <= public


def test_a_checker_accepts_a_program(tmp_path):
    pytest.importorskip("mypy", reason="SKIPPED: mypy is not installed")
    program = tmp_path / "program.py"
    program.write_text(
        "import stepscope\n"
        "with stepscope.open('x', threads=2) as profile:\n"
        "    bound: str = profile.report().verdict.bound_by\n"
        "    rows: int = len(profile.kernels)\n"
        "    for finding in profile.findings:\n"
        "        print(finding.title)\n"
        "    profile.save_html(b'x')\n"
        "stepscope.open(5)\n"
    )
    out = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(program)], capture_output=True, text=True
    ).stdout
    assert "program.py:7: error" in out and "program.py:8: error" in out, out
    assert "Found 2 errors" in out, out
