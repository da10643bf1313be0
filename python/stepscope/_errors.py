"""The exceptions. Their text is what the command line prints."""


class Error(Exception):
    """What went wrong, where, and what to do next.

    ``sentence``, ``file`` (may be empty), ``offset`` (bytes into the uncompressed file, or None) and ``next_step`` (may be
    empty) are what ``str()`` is made of.
    """

    def __init__(self, sentence, file="", offset=None, next_step=""):
        super().__init__(sentence, file, offset, next_step)
        self.sentence = sentence
        self.file = file
        self.offset = offset
        self.next_step = next_step

    def __str__(self):
        text = f"{self.file}: {self.sentence}" if self.file else self.sentence
        if self.offset is not None:
            text += f" (at byte {self.offset:,})"
        if self.next_step:
            text += f"\n  next: {self.next_step}"
        return text


class ReadError(Error):
    """The file is missing, damaged beyond use, or not a profile."""


class UsageError(Error, ValueError):
    """Something was asked for that does not exist."""


class WriteError(Error):
    """The output could not be written."""


class Interrupted(Error):
    """Work that was asked to stop."""
