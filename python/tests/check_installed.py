"""What an installed package must do where nothing else is: report, page, one-file report, all from the same profile.

    python check_installed.py PROFILE

Needs nothing but the package. Prints the verdict and the first numbers, to be compared with another installation's.
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import urllib.error
import urllib.parse
import urllib.request

import stepscope

# The program that was installed beside this interpreter, whatever else is on PATH.
PROGRAM = shutil.which("stepscope", path=sysconfig.get_path("scripts"))


def get(address, headers=None):
    """The text at an address, and its type."""
    request = urllib.request.Request(address, headers={"Accept-Encoding": "gzip", **(headers or {})})
    with urllib.request.urlopen(request, timeout=30) as answer:
        content = answer.read()
        if answer.headers["Content-Encoding"] == "gzip":
            content = gzip.decompress(content)
        return content.decode(), answer.headers["Content-Type"]


def check_page(profile):
    """The server gives the page, its script and its style to whoever has the token, and to nobody else."""
    server = subprocess.Popen([PROGRAM, "serve", profile], stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().strip()
        place = urllib.parse.urlsplit(address)
        assert place.hostname == "127.0.0.1", address
        page, kind = get(address)
        assert kind.startswith("text/html") and '<div id="app">' in page and "/app.js" in page, page[:200]
        root = f"{place.scheme}://{place.netloc}"
        script, kind = get(f"{root}/app.js")
        assert kind.startswith("text/javascript") and len(script) > 50_000, len(script)
        style, kind = get(f"{root}/app.css")
        assert kind.startswith("text/css") and len(style) > 1000, len(style)
        token = urllib.parse.parse_qs(place.query)["token"][0]
        answer, _ = get(f"{root}/api/session", {"X-Stepscope-Token": token})
        assert os.path.basename(profile) in answer, answer
        try:
            get(f"{root}/api/session")
            raise AssertionError("the server answers without the token")
        except urllib.error.HTTPError as refusal:
            assert refusal.code == 403, refusal
    finally:
        server.terminate()
        server.wait()


def check_one_file(profile, opened):
    """The one-file report of the program and of the package: both hold the page and this profile's data, and ask for no other file."""
    with tempfile.TemporaryDirectory() as directory:
        told, saved = os.path.join(directory, "told.html"), os.path.join(directory, "saved.html")
        subprocess.run([PROGRAM, "report", "--html", told, profile], check=True, stdout=subprocess.DEVNULL)
        opened.save_html(saved)
        for path in (told, saved):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            begin = '<script type="application/json" id="stepscope-data">'
            assert begin in text and '<script type="module">' in text and len(text) > 100_000, len(text)
            assert " src=" not in text.partition("<body>")[0] and text.rstrip().endswith("</html>")
            assert json.loads(text.partition(begin)[2].partition("</script>")[0])


def main():
    profile = sys.argv[1]
    opened = stepscope.open(profile, progress=False)
    verdict = opened.report().verdict.sentence
    print(verdict, len(opened.slices), opened.slices.buffer("start_ns")[0])
    told = subprocess.run([PROGRAM, "report", "--json", profile], check=True, capture_output=True).stdout
    assert json.loads(told)["verdict"]["sentence"] == verdict
    subprocess.run([sys.executable, "-m", "stepscope", "--version"], check=True, stdout=subprocess.DEVNULL)
    check_page(profile)
    check_one_file(profile, opened)


if __name__ == "__main__":
    main()
