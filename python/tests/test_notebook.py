"""Notebooks: run headless, charts in their output, the page in a frame, in a real browser."""

import html
import pathlib
import re
import shutil
import subprocess
import urllib.parse
import urllib.request

import pytest

import stepscope

nbformat = pytest.importorskip("nbformat", reason="SKIPPED: nbformat is not installed")
nbclient = pytest.importorskip("nbclient", reason="SKIPPED: nbclient is not installed")
pytest.importorskip("ipykernel", reason="SKIPPED: ipykernel is not installed")

INPUT_BOUND = "examples/resnet50_inputbound.pt.trace.json.gz"


def run(*cells, during=None):
    """The outputs of each cell as HTML (or text); `during` is called with them while the kernel lives."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3")
    with client.setup_kernel():
        for i, cell in enumerate(notebook.cells):
            client.execute_cell(cell, i)
        shown = [
            "".join(out.get("data", {}).get("text/html", out.get("text", "")) for out in cell.outputs) for cell in notebook.cells
        ]
        if during:
            during(shown)
    return shown


def test_charts_are_in_the_output():
    shown = run(
        f"import stepscope\np = stepscope.open({INPUT_BOUND!r})\np.report()",
        "p.kernels",
        "p.findings",
    )
    report = shown[0]
    for chart in ("stepscope-steps", "stepscope-ops", "stepscope-kernels"):
        assert chart in report, chart
    # One bar per step, stacked from its parts; the largest is the wait for input.
    assert len(re.findall(r"<title>ProfilerStep#\d+: ", report)) == 4
    assert report.count("idle: waiting for input") >= 4
    assert "Waiting for input takes 69.9 %" in report
    assert "<script" not in report and "http" not in report.replace("http://www.w3.org", "")
    assert "<table" in shown[1]


def test_a_cell_is_recorded(tmp_path):
    shown = run(
        "%load_ext stepscope",
        f"%%stepscope_record --directory {tmp_path}/run\nimport time\ntotal = sum(range(1000))\nprint('ran')",
        "total",
    )
    assert "ran" in shown[1] and "stepscope-report" in shown[1]
    assert (tmp_path / "run" / "recording.ssrec").exists()


def test_findings_say_what_to_do():
    shown = stepscope.open(INPUT_BOUND).findings._repr_html_()
    assert "num_workers=4" in shown and "up to 120.4 ms a step" in shown


def test_a_long_name_leaves_room_for_the_other_columns():
    kernels = stepscope.open(INPUT_BOUND).kernels
    name = kernels.column("name")[0]
    shown = kernels._repr_html_()
    assert len(name) > 100 and html.escape(name) in shown  # on hover
    assert max(len(html.unescape(cell)) for cell in re.findall(r"<td[^>]*>(.*?)</td>", shown)) <= 60


def test_the_words_of_a_chart_are_in_its_language():
    shown = stepscope.open(INPUT_BOUND).report(lang="zh")._repr_html_()
    assert "瓶颈 输入：" in shown and ">高</b>" in shown and ">high</b>" not in shown


def test_heights_of_the_bars_are_the_numbers():
    report = stepscope.open(INPUT_BOUND).report()
    svg = report._repr_html_()
    bars = [float(h) for h in re.findall(r'<rect x="[\d.]+" y="[\d.]+" width="[\d.]+" height="([\d.]+)" fill="#e4572e"', svg)]
    waits = [
        cause.ns for step in report.steps.items for cause in max(step.devices, key=lambda d: d.busy_ns).idle_causes if cause.cause == "input"
    ]
    longest = max(step.duration_ns for step in report.steps.items)
    assert bars == pytest.approx([ns / longest * 174 for ns in waits], abs=0.01)


def test_names_cannot_become_markup():
    evil = b'[{"ph":"X","cat":"cpu_op","name":"<script>alert(1)</script>","pid":1,"tid":1,"ts":1,"dur":9}]'
    profile = stepscope.open(evil)
    for shown in (profile.report()._repr_html_(), profile.ops._repr_html_()):
        assert "<script" not in shown and "&lt;script&gt;" in shown


def test_the_page_in_a_frame():
    if not has_page():
        pytest.skip("SKIPPED: this build has no web page")

    def ask(shown):
        address = re.search(r'<iframe[^>]* src="(.*?)"', shown[1])[1]
        assert urllib.parse.urlsplit(address).hostname == "127.0.0.1"
        page = urllib.request.Request(address, headers={"Sec-Fetch-Site": "cross-site", "Accept-Encoding": "gzip"})
        with urllib.request.urlopen(page) as answer:
            policy = answer.headers["Content-Security-Policy"]
        assert "frame-ancestors http://localhost:* https://localhost:* http://127.0.0.1:*" in policy
        # The second cell of the same path is the same server.
        assert address in shown[2]

    run("%load_ext stepscope", f"%stepscope --serve {INPUT_BOUND}", f"%stepscope --serve --height 300 {INPUT_BOUND}", during=ask)


def test_the_page_that_stays():
    if not has_page():
        pytest.skip("SKIPPED: this build has no web page")
    shown = run("%load_ext stepscope", f"%stepscope {INPUT_BOUND}", f"%stepscope --lang zh {INPUT_BOUND}")
    assert 'sandbox="allow-scripts"' in shown[1] and "srcdoc=" in shown[1] and len(shown[1]) > 100_000
    assert shown[1] != shown[2]
    # Links of the page stay in the frame. The policy allows no base, so it has to stand before.
    page = html.unescape(re.search(r'srcdoc="(.*?)"', shown[1], re.S)[1])
    assert 0 < page.index('<base href="about:srcdoc">') < page.index("Content-Security-Policy")


def test_the_magic_refuses():
    from stepscope._notebook import _magic

    with pytest.raises(ValueError, match="paths"):
        _magic("")
    with pytest.raises(ValueError, match="sideways"):
        _magic("--sideways x")
    with pytest.raises(ValueError, match="lang"):
        _magic("--lang fr x")


def test_the_language_of_a_server_is_in_its_address():
    from stepscope._notebook import _in_language

    assert _in_language("http://127.0.0.1:1/?token=a", "zh") == "http://127.0.0.1:1/?token=a&lang=zh"
    assert _in_language("http://127.0.0.1:1/", "zh") == "http://127.0.0.1:1/?lang=zh"
    assert _in_language("http://127.0.0.1:1/?token=a", None) == "http://127.0.0.1:1/?token=a"


def has_page():
    try:
        stepscope.open("examples/cudagraph_infer.pt.trace.json.gz").save_html("/dev/null")
    except stepscope.Error:
        return False
    return True


@pytest.mark.parametrize("static", [False, True])
def test_in_a_browser(tmp_path, static):
    """The notebook as a page, opened in Chromium: the frame inside it shows the report."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("SKIPPED: no chromium here")
    if not has_page():
        pytest.skip("SKIPPED: this build has no web page")

    def look(shown):
        server = serve(tmp_path, "<!doctype html><title>notebook</title>" + shown[1])
        try:
            dom = subprocess.run(
                [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-site-isolation-trials",
                 "--virtual-time-budget=20000", f"--user-data-dir={tmp_path / 'profile'}",
                 f"--screenshot={tmp_path / 'shot.png'}", "--window-size=1200,900", server.address],
                capture_output=True, text=True, timeout=180, check=False)  # fmt: skip
        finally:
            server.shutdown()
        picture = (tmp_path / "shot.png").read_bytes()
        assert picture.startswith(b"\x89PNG"), dom.stderr[-2000:]
        # An empty or refused frame is a few kilobytes of one colour.
        assert len(picture) > 40_000, len(picture)

    run("%load_ext stepscope", f"%stepscope {'' if static else '--serve'} {INPUT_BOUND}", during=look)


def serve(folder, page):
    """A notebook server's stand-in: one page on localhost."""
    import functools
    import http.server
    import threading

    (pathlib.Path(folder) / "notebook.html").write_text(page)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    handler.log_message = lambda *_: None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.address = f"http://localhost:{server.server_port}/notebook.html"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
