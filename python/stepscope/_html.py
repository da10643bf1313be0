"""What notebooks show: charts as inline SVG, nothing from outside. Everything from a profile is escaped."""

import html
import math

from stepscope import _table_text
from stepscope._html_words import words

# The page's colours, one per category, readable on light and dark.
_COLORS = {
    "compute": "#3b82c4",
    "communication": "#b366c9",
    "copy": "#d9a404",
    "memset": "#8a8a8a",
    "input": "#e4572e",
    "sync": "#9c6644",
    "launch": "#f08a24",
    "host_op": "#c9a227",
    "python": "#6a994e",
    "compile": "#7b5ea7",
    "communication_wait": "#d6a2e8",
    "copy_wait": "#efd780",
    "profiler": "#777777",
    "between_steps": "#aab4be",
    "unknown": "#c4c9cf",
}
_STYLE = (
    "font:13px/1.45 system-ui,sans-serif;max-width:60em;padding:.4em .2em"
)
_WIDEST_TEXT = 60  # of a cell: a kernel's name would push all other columns out of sight
_SEVERITY = {"high": "#d62839", "medium": "#f08a24", "low": "#c9a227", "note": "#8a8a8a"}


def escape(text):
    return html.escape(str(text), quote=True)


def duration(ns):
    """123456789 as "123.5 ms"."""
    if ns is None:
        return "–"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if abs(ns) >= size:
            return f"{ns / size:.1f} {unit}"
    return f"{ns} ns"


def size(count):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(count) < 1024 or unit == "GiB":
            return f"{count:.3g} {unit}"
        count /= 1024
    return ""


def _parts(device):
    """The parts of one device's step in a fixed order: they add up to its duration."""
    yield "compute", device["compute_ns"]
    yield "communication", device["exposed_communication_ns"]
    yield "copy", device["exposed_copy_ns"]
    yield "memset", device["exposed_memset_ns"]
    for cause in device["idle_causes"]:
        yield cause["cause"], cause["ns"]


def _busiest(step):
    return max(step["devices"], key=lambda device: device["busy_ns"], default=None)


def _steps_chart(report, say):
    """One bar per step, its parts stacked to the step's length."""
    steps = [step for step in report["steps"]["items"] if step["devices"]]
    if not steps:
        return ""
    shown = steps[:120]
    longest = max(step["duration_ns"] for step in shown) or 1
    width, height, top = 720, 180, 6
    bar = min(48, (width - 60) / len(shown))
    out = [
        f'<svg role="img" aria-label="{say["the steps"]}" class="stepscope-steps" '
        f'viewBox="0 0 {width} {height + 28}" width="100%" style="max-width:{width}px" fill="currentColor">'
    ]
    for share in (0, 0.5, 1):
        y = top + (1 - share) * (height - top)
        out.append(
            f'<line x1="56" x2="{width}" y1="{y:.1f}" y2="{y:.1f}" stroke="currentColor" stroke-opacity=".18"/>'
            f'<text x="52" y="{y + 4:.1f}" text-anchor="end" font-size="10">{duration(round(share * longest))}</text>'
        )
    used = []
    for i, step in enumerate(shown):
        y = float(height)
        x = 58 + i * bar
        title = escape(f'{step["name"]}: {duration(step["duration_ns"])}')
        out.append(f'<g opacity="{1 if step["used"] else 0.45}"><title>{title}</title>')
        for part, ns in _parts(_busiest(step)):
            if ns <= 0:
                continue
            if part not in used:
                used.append(part)
            tall = ns / longest * (height - top)
            y -= tall
            out.append(
                f'<rect x="{x:.1f}" y="{y:.2f}" width="{max(1, bar - 2):.1f}" height="{tall:.2f}" '
                f'fill="{_COLORS.get(part, "#999999")}"><title>{escape(say.get(part, part))}: {duration(ns)}</title></rect>'
            )
        out.append("</g>")
        if i % math.ceil(len(shown) / 12) == 0:
            out.append(f'<text x="{x + bar / 2:.1f}" y="{height + 14}" text-anchor="middle" font-size="10">{step["number"]}</text>')
    out.append("</svg>")
    legend = "".join(
        f'<span style="white-space:nowrap;margin-right:1em"><span style="display:inline-block;width:.8em;height:.8em;'
        f'background:{_COLORS.get(part, "#999999")};margin-right:.35em"></span>{escape(say.get(part, part))}</span>'
        for part in used
    )
    more = f"<div>{say['first steps'].format(len(shown), len(steps))}</div>" if len(steps) > len(shown) else ""
    return f'{"".join(out)}<div style="font-size:11px">{legend}</div>{more}'


def _bars(title, rows, total, kind):
    """Names with a bar and a time each: rows of (name, ns, note)."""
    if not rows:
        return ""
    longest = max(ns for _, ns, _ in rows) or 1
    step, width = 22, 720
    out = [
        f'<h4 style="margin:.8em 0 .2em">{escape(title)}</h4>'
        f'<svg role="img" aria-label="{escape(title)}" class="stepscope-{kind}" viewBox="0 0 {width} {len(rows) * step}" '
        f'width="100%" style="max-width:{width}px" fill="currentColor">'
    ]
    for i, (name, ns, note) in enumerate(rows):
        y = i * step
        wide = ns / longest * 240
        short = name if len(name) <= 46 else name[:22] + "…" + name[-23:]
        share = f" · {ns / total * 100:.1f} %" if total else ""
        out.append(
            f'<g><title>{escape(name)}</title>'
            f'<text x="0" y="{y + 15}" font-size="11">{escape(short)}</text>'
            f'<rect x="300" y="{y + 5}" width="{wide:.1f}" height="12" fill="{_COLORS["compute"]}"/>'
            f'<text x="{306 + wide:.1f}" y="{y + 15}" font-size="11">{duration(ns)}{share}{escape(note)}</text></g>'
        )
    out.append("</svg>")
    return "".join(out)


def _finding(finding, say):
    """One finding: how bad, what, what it saves, why, and what to do about it."""
    color = _SEVERITY.get(finding["severity"], "#8a8a8a")
    saving = finding["saving"]["hi_ns"]
    worth = f' <span style="opacity:.75">{say["up to"].format(duration(saving))}</span>' if saving else ""
    fix = f'<br><code style="white-space:pre-wrap">{escape(finding["fix"])}</code>' if finding["fix"] else ""
    return (
        f'<li><b style="color:{color}">{escape(say.get(finding["severity"], finding["severity"]))}</b> {escape(finding["title"])}{worth}'
        f'<br><span style="opacity:.85">{escape(finding["sentence"])}</span>{fix}</li>'
    )


def _findings(report, say):
    rows = [_finding(finding, say) for finding in report["findings"][:8]]
    return f'<h4 style="margin:.8em 0 .2em">{say["what to change"]}</h4><ul style="margin:0">{"".join(rows)}</ul>' if rows else ""


def findings(found, lang="en"):
    """All findings of a profile."""
    say = words(lang)
    if not found:
        return f'<div style="{_STYLE}">{say["nothing"]}</div>'
    rows = "".join(_finding(finding, say) for finding in found)
    return f'<div class="stepscope-findings" style="{_STYLE}"><ul style="margin:0">{rows}</ul></div>'


def _head(report, say):
    profile, steps = report["profile"], report["steps"]
    devices = ", ".join(f'{d["id"]} {d["name"] or ""}'.strip() for d in profile["devices"][:4])
    facts = [profile["framework"] or profile["format"], devices, say["steps"].format(steps["count"]) if steps["count"] else "",
             duration(profile["span_ns"]), say["events"].format(profile["events"]["in_file"])]
    out = [f'<div style="opacity:.75">{escape(" · ".join(fact for fact in facts if fact))}</div>']
    if steps["median_ns"]:
        times = (duration(steps[name]) for name in ("median_ns", "min_ns", "max_ns"))
        out.append(f'<div><b>{say["step"]}</b> {say["median"].format(*times)}</div>')
    bound_by = report["verdict"]["bound_by"]
    verdict = say["bound by"].format(escape(say["bounds"].get(bound_by, bound_by)), escape(report["verdict"]["sentence"]))
    out.append(f'<div><b>{say["verdict"]}</b> {verdict}</div>')
    for entry in report["quality"]:
        if entry["severity"] != "info":
            out.append(f'<div style="color:#d62839">{escape(entry["sentence"])}</div>')
    return "".join(out)


def one_report(report, lang):
    """A report with its charts."""
    say = words(lang)

    def rows_of(table, column):
        return [(row["name"], row[column], say["calls"].format(row["calls"])) for row in report[table]]

    ops, by = rows_of("ops", "device_self_ns"), "ops by device"
    if not any(ns for _, ns, _ in ops):
        ops, by = rows_of("ops", "host_self_ns"), "ops by host"
    ops = sorted((row for row in ops if row[1] > 0), key=lambda row: -row[1])
    kernels = rows_of("kernels", "total_ns")
    return "".join([
        f'<div class="stepscope-report" style="{_STYLE}">',
        f'<h3 style="margin:.2em 0">{escape(", ".join(report["profile"]["paths"]))}</h3>',
        _head(report, say),
        _steps_chart(report, say),
        _findings(report, say),
        _bars(say[by], ops[:8], sum(row[1] for row in ops), "ops"),
        _bars(say["kernels"], kernels[:8], sum(row[1] for row in kernels), "kernels"),
        "</div>",
    ])


def reports(report, lang="en"):
    """One report, or several below each other."""
    return "".join(one_report(part, lang) for part in report.parts)


def _value(name, value):
    """A cell: times and sizes in the units that people read, the number itself on hover."""
    if value is None or isinstance(value, (bool, str)):
        whole = _table_text.cell(value)
        short = _table_text.cut(whole, _WIDEST_TEXT)
        return f'<td title="{escape(whole)}">{escape(short)}</td>' if short != whole else f"<td>{escape(whole)}</td>"
    if name.endswith("_ns"):
        shown = duration(value)
    elif name.endswith("bytes"):
        shown = size(value)
    else:
        shown = _table_text.cell(value)
    return f'<td style="text-align:right;white-space:nowrap" title="{escape(value)}">{escape(shown)}</td>'


def table(table, most):
    """The first rows of a table."""
    head = "".join(f'<th style="text-align:left">{escape(name)}</th>' for name in table.columns)
    body = "".join(
        "<tr>" + "".join(_value(name, value) for name, value in row.items()) + "</tr>" for row in table.rows(0, most)
    )
    more = f"<caption>the first {most} of {len(table):,} rows</caption>" if len(table) > most else ""
    return (
        f'<div style="overflow-x:auto"><table class="stepscope-table">{more}<thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def progress(share, what):
    """A bar for notebooks."""
    percent = max(0, min(100, round(share * 100)))
    return (
        f'<div style="font:12px system-ui,sans-serif">{escape(what)} <progress value="{percent}" max="100"></progress> {percent} %</div>'
    )
