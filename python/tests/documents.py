"""The programs of the guides below STEPSCOPE_DOCUMENTS, taken out of their text."""

import os
import pathlib
import re
import textwrap


def programs():
    """Every block of code of every document."""
    found = []
    for path in sorted(pathlib.Path(os.environ["STEPSCOPE_DOCUMENTS"]).glob("*.txt")):
        text = path.read_text(encoding="utf-8")
        found += re.findall(r"```\w*\n(.*?)```", text, re.S)
        found += re.findall(r"\{% highlight python %\}(.*?)\{% endhighlight %\}", text, re.S)
    return [textwrap.dedent(block) for block in found]


def program_with(*pieces):
    """The one block that holds all of these pieces."""
    matching = [block for block in programs() if all(piece in block for piece in pieces)]
    assert len(matching) == 1, (pieces, len(matching))
    return matching[0]


def with_imports(program, **lines):
    """The program with its import lines replaced: module=line."""
    out = []
    for line in program.splitlines():
        found = re.match(r"(?:from \S+ )?import (\w+)", line)
        out.append(lines.get(found.group(1), line) if found else line)
    return "\n".join(out)
