import os

_log = []


def start_trace(path):
    _log.append("start")
    global _path
    _path = path


def stop_trace():
    os.makedirs(os.path.join(_path, "plugins", "profile", "run"))
    with open(os.path.join(_path, "plugins", "profile", "run", "calls.txt"), "w") as file:
        file.write("\n".join(_log))


class StepTraceAnnotation:
    def __init__(self, name, step_num):
        self._text = "%s %d" % (name, step_num)

    def __enter__(self):
        _log.append("enter " + self._text)

    def __exit__(self, *_):
        _log.append("exit " + self._text)
