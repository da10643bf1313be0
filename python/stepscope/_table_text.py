"""A table as lines of text: as many rows and columns as people read."""

import shutil

_ROWS = 10
_WIDEST = 36


def text(table, rows=_ROWS, width=None):
    """The first rows, aligned; columns that do not fit are named below."""
    width = width or max(80, shutil.get_terminal_size((100, 24)).columns)
    shown = table.rows(0, rows)
    columns = [_column(name, [row[name] for row in shown]) for name in table.columns]
    fitting, used = [], 0
    for column in columns:
        used += len(column[0]) + 2
        if fitting and used - 2 > width:
            break
        fitting.append(column)
    lines = [f"<stepscope table {table._name}: {len(table):,} {'row' if len(table) == 1 else 'rows'}>"]
    lines += ["  ".join(cells).rstrip() for cells in zip(*fitting)]
    if len(table) > len(shown):
        lines.append(f"… {len(table) - len(shown):,} more rows")
    left = table.columns[len(fitting) :]
    if left:
        lines.append(f"… {len(left)} more {'column' if len(left) == 1 else 'columns'}: {', '.join(left)}")
    return "\n".join(lines)


def _column(name, values):
    """The name and its cells, all of one width: numbers to the right, texts to the left."""
    number = all(isinstance(value, (int, float, type(None))) and not isinstance(value, bool) for value in values) and values
    cells = [name, *map(cell, values)]
    width = min(_WIDEST, max(map(len, cells)))
    align = str.rjust if number else str.ljust
    return [align(cut(each, width), width) for each in cells]


def cell(value):
    """A value as people read it."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    return " ".join(str(value).split())


def cut(text, width):
    """Names differ at both ends: the middle goes."""
    if len(text) <= width:
        return text
    back = (width - 1) // 2
    return text[: width - 1 - back] + "…" + text[len(text) - back :]
