#!/usr/bin/env python3
"""The nginx configuration that docs/serve.md shows, run as it stands there: TLS, a password, a path of its own.

usage: test_proxy.py STEPSCOPE SERVE_MD
"""
import base64
import http.client
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time

from requests_part import start

SKIPPED = 77
nginx = shutil.which("nginx") or (os.path.exists("/usr/sbin/nginx") and "/usr/sbin/nginx")
if not nginx or not shutil.which("openssl"):
    print("SKIPPED: nginx or openssl is not installed, so the way behind a proxy was NOT tried", file=sys.stderr)
    sys.exit(SKIPPED)

folder = pathlib.Path(tempfile.mkdtemp())
(folder / "trace.json").write_text('{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":5}]}')
words = re.search(r"^stepscope serve (.*--trusted-proxy.*) PATH$", pathlib.Path(sys.argv[2]).read_text(), re.M).group(1).split()
words = [word for word in words if word not in ("--port", "8500")]
child, _, inner, token = start(os.path.abspath(sys.argv[1]), *words, str(folder / "trace.json"))
try:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=team.example",
                    "-keyout", folder / "key.pem", "-out", folder / "cert.pem"], check=True, capture_output=True)
    secret = subprocess.run(["openssl", "passwd", "-apr1", "secret"], check=True, capture_output=True, text=True).stdout.strip()
    (folder / "passwords").write_text(f"ana:{secret}\n")
    server = re.search(r"```nginx\n(.*?)```", pathlib.Path(sys.argv[2]).read_text(), re.S).group(1)
    for shown, real in {"listen 443 ssl": f"listen 127.0.0.1:{port} ssl", "/etc/nginx/team.pem": f"{folder}/cert.pem",
                        "/etc/nginx/team.key": f"{folder}/key.pem", "/etc/nginx/team.passwords": f"{folder}/passwords",
                        "127.0.0.1:8500": f"127.0.0.1:{inner}"}.items():
        assert shown in server, shown
        server = server.replace(shown, real)
    (folder / "nginx.conf").write_text(f"pid {folder}/pid;\nerror_log {folder}/error.log;\ndaemon off;\nevents {{}}\n"
                                       f"http {{ access_log off; client_body_temp_path {folder}; proxy_temp_path {folder};\n"
                                       f"fastcgi_temp_path {folder}; uwsgi_temp_path {folder}; scgi_temp_path {folder};\n{server}}}\n")
    proxy = subprocess.Popen([nginx, "-p", str(folder), "-c", str(folder / "nginx.conf")])
    time.sleep(1)

    def get(path, password=None):
        context = ssl.create_default_context(cafile=folder / "cert.pem")
        context.check_hostname = False
        connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=30, context=context)
        headers = {"Host": "team.example", "Accept-Encoding": "gzip", "X-Stepscope-Token": token,
                   "Origin": "https://team.example"}
        if password:
            headers["Authorization"] = "Basic " + base64.b64encode(f"ana:{password}".encode()).decode()
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status

    try:
        found = {"without a password": get("/stepscope/"), "a wrong password": get("/stepscope/", "wrong"),
                 "the page": get(f"/stepscope/?token={token}", "secret"), "its script": get("/stepscope/app.js", "secret"),
                 "the API": get("/stepscope/api/session", "secret"), "outside of the path": get("/api/session", "secret")}
    finally:
        proxy.terminate()
        proxy.wait()
finally:
    child.terminate()
    child.wait()
    shutil.rmtree(folder, ignore_errors=True)
wanted = {"without a password": 401, "a wrong password": 401, "the page": 200, "its script": 200, "the API": 200,
          "outside of the path": 404}
print(found)
sys.exit(0 if found == wanted else 1)
