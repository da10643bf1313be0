"""What the tests of captures share: a folder of their own, and a way to run the program."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STEPSCOPE = os.path.abspath(sys.argv.pop(1))


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)

    def start(self, *arguments, **options):
        process = subprocess.Popen(
            [STEPSCOPE, "capture", *arguments], cwd=self.work, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
        )
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()
        process.wait()

    def capture(self, *arguments, code=0, **options):
        process = self.start(*arguments, **options)
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, code, out + err)
        return out, err

    def refused(self, *arguments, says, **options):
        """Fails with a sentence and a next step, and leaves nothing behind."""
        before = set(self.work.iterdir())
        out, err = self.capture(*arguments, code=1, **options)
        self.assertIn(says, err)
        self.assertIn("next: ", err)
        self.assertEqual(out, "")
        self.assertEqual(set(self.work.iterdir()), before)
