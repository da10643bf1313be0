"""A vLLM or SGLang server as far as profiles go: fake_serving.py vllm|sglang PROFILE BEHAVIOUR [vLLM's options].

Prints its port, and then every path that is asked for. Behaviours: disabled (no such route), fails (HTTP 500).
"""

import http.server
import json
import os
import shutil
import sys

KIND, PROFILE, BEHAVIOUR = sys.argv[1:4]


class Handler(http.server.BaseHTTPRequestHandler):
    folder = os.environ.get("VLLM_TORCH_PROFILER_DIR", "")
    answered = 0

    def log_message(self, *_):
        pass

    def answer(self, code, text=""):
        self.send_response(code)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def write(self):
        for worker in range(2):
            path = os.path.join(Handler.folder, f"worker{worker}.pt.trace.json.gz")
            shutil.copyfile(PROFILE, path)

    def do_GET(self):
        print(self.path, flush=True)
        Handler.answered += 1
        self.answer(200, f'vllm:request_success_total{{finished_reason="stop"}} {Handler.answered}\n')

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        print(self.path, flush=True)
        if BEHAVIOUR == "disabled":
            return self.answer(404)
        if BEHAVIOUR == "fails":
            return self.answer(500, "no")
        if self.path == "/start_profile" and KIND == "sglang":
            request = json.loads(body)
            assert request["activities"] == ["CPU", "GPU"]
            Handler.folder = request["output_dir"]
            if "num_steps" in request:
                print(f"num_steps={request['num_steps']}", flush=True)
                self.write()
        elif self.path == "/stop_profile":
            self.write()
        return self.answer(200)


if "--profiler-config" in sys.argv:
    Handler.folder = json.loads(sys.argv[-1])["torch_profiler_dir"]
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
