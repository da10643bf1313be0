"""``python -m stepscope.fleet``: spark, ranks, compact, summary, regressions, page, views."""
from __future__ import annotations

import argparse
import functools
import sys
from typing import Any

from stepscope.fleet import _analyze, _compact, _listing, _page, _ranks, _spark, _summary, _tables, _views

EXIT_FINE, EXIT_CANNOT_READ, EXIT_USAGE, EXIT_GATE = 0, 1, 2, 3


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="stepscope fleet", description="Asks the tables of many profiles, or makes "
                                     "them on Spark. Exit codes: 0 fine, 1 cannot read, 2 usage, 3 a gate failed.")
    verbs = parser.add_subparsers(dest="verb", required=True)

    spark = verbs.add_parser("spark", help="read the profiles of a directory or store on Spark and append their tables")
    spark.add_argument("source", help="a directory, or an address like s3://bucket/profiles/ (by fsspec)")
    spark.add_argument("--out", required=True, help="where the tables are; a namespace for Iceberg")
    spark.add_argument("--pattern", help="which files, like '*.json.gz' (default: all that are called like profiles)")
    spark.add_argument("--path-pattern", help="what paths mean, like 'jobs/{job}/{run}/rank{rank}_*.json.gz'")
    spark.add_argument("--since", metavar="DAY", help="only files changed on this day (UTC) or later: 2026-11-01")
    spark.add_argument("--table-format", choices=("parquet", "delta", "iceberg"), default="parquet")
    spark.add_argument("--task-mb", type=int, default=256, help="megabytes of files a task (default: 256)")
    spark.add_argument("--timeout-per-file", type=float, default=120, metavar="S")
    spark.add_argument("--memory-limit", metavar="SIZE", help="of one file, like 8G")
    spark.add_argument("--hash-names", metavar="KEY", help="keep paths and names of hosts as hashes with this key; @FILE reads it")
    spark.add_argument("--keep-summaries", action="store_true",
                       help="keep what ranks are joined by, for ranks that come later")
    spark.add_argument("--max-failed", type=float, default=100, metavar="PERCENT",
                       help="exit 3 if more of the profiles fail")

    ranks = verbs.add_parser("ranks", help="join the ranks of each run by their summaries: who is late, and why")
    ranks.add_argument("tables", help="the directory with the tables")
    ranks.add_argument("--drop-summaries", action="store_true", help="remove the summaries when they are joined")

    compact = verbs.add_parser("compact", help="make few large files of many small ones")
    compact.add_argument("tables", help="the directory with the tables")
    compact.add_argument("--small-mb", type=float, default=_compact.SMALL / (1 << 20), metavar="MB",
                         help="files below this size are joined (default: 128)")

    for name, what in (("summary", "the questions of a fleet, answered"),
                       ("regressions", "which jobs got slower or faster, and since when")):
        verb = verbs.add_parser(name, help=what)
        verb.add_argument("tables", help="the directory with the tables")
        verb.add_argument("--json", action="store_true", help="print JSON")
        verb.add_argument("--lang", choices=("en", "zh"), default="en")
        verb.add_argument("--top", type=int, default=10, help="rows of each answer (default: 10)")
        _add_engine(verb)
        if name == "regressions":
            verb.add_argument("--fail-on", choices=("slower", "changed"), help="exit 3 if there is one")

    page = verbs.add_parser("page", help="the whole fleet as one HTML file that opens offline")
    page.add_argument("tables", help="the directory with the tables")
    page.add_argument("-o", "--output", required=True, metavar="FILE", help="the page")
    page.add_argument("--lang", choices=("en", "zh"), default="en", help="in which it opens; it holds both")
    page.add_argument("--profile-link", metavar="ADDRESS",
                      help="where profiles can be opened, like 'https://profiles.example/{path}'")
    _add_engine(page)

    views = verbs.add_parser("views", help="print the SQL of the views, for other engines")
    views.add_argument("name", nargs="?", choices=_views.NAMES)
    return parser


def _add_engine(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("--with-spark", action="store_true", help="ask the Spark session at hand instead of DuckDB")
    verb.add_argument("--table-format", choices=("parquet", "delta", "iceberg"), default="parquet", help="of the tables, with --with-spark")


def _open(options: argparse.Namespace) -> Any:
    if options.with_spark:
        return _tables.SparkTables(_spark.session_at_hand(), options.tables, options.table_format)
    return _tables.open_tables(options.tables)


def _key(text: str | None) -> str | None:
    if not text or not text.startswith("@"):
        return text
    try:
        with open(text[1:], encoding="utf-8") as file:
            key = file.read().strip("\r\n")
    except OSError as error:
        raise _tables.FleetError(f"cannot read the key: {error}") from error
    if not key:
        raise _tables.FleetError(f"{text[1:]}: the file of the key is empty")
    return key


def _run_spark(options: argparse.Namespace) -> int:
    session = _spark.session_at_hand()
    entries = _listing.list_source(options.source, options.pattern)
    if options.since:
        entries = _listing.changed_since(entries, options.since)
    key = _key(options.hash_names)
    named = functools.partial(_analyze.hashed, key) if key else str
    known = _spark.known_profiles(session, options.out, options.table_format)
    fresh = list(_listing.new_or_changed(entries, known, named))
    if not fresh:
        print("nothing is new or changed")
        return EXIT_FINE
    tables = _spark.tables_of(session, fresh, task_bytes=options.task_mb << 20, timeout=options.timeout_per_file,
                              memory=options.memory_limit, pattern=options.path_pattern, hash_names=key)
    _spark.write(tables, options.out, options.table_format, options.keep_summaries)
    counts = {row["status"]: row["count"] for row in tables["profiles"].groupBy("status").count().collect()}
    tables.close()
    failed, total = counts.get("failed", 0), sum(counts.values())
    print(f"{total} profiles were read: {counts.get('ok', 0)} ok, {counts.get('partial', 0)} partial, {failed} failed.")
    return EXIT_GATE if 100 * failed > options.max_failed * total else EXIT_FINE


def _run_ranks(options: argparse.Namespace) -> int:
    print(_ranks.join_directory(options.tables, options.drop_summaries))
    return EXIT_FINE


def _run_compact(options: argparse.Namespace) -> int:
    before, after = _compact.compact(options.tables, int(options.small_mb * (1 << 20)))
    print(f"{before} files, now {after}")
    return EXIT_FINE


def _run_summary(options: argparse.Namespace) -> int:
    answers = _summary.collect(_open(options), options.top)
    sys.stdout.write(_summary.as_json(answers) if options.json else _summary.as_text(answers, options.lang))
    return EXIT_FINE


def _run_regressions(options: argparse.Namespace) -> int:
    rows = _summary.regressions(_open(options))
    if options.json:
        sys.stdout.write(_summary.as_json({"schema": "stepscope.fleet-regressions/1", "regressions": rows}))
    else:
        print("\n".join(_summary.regressions_text(rows[:options.top], options.lang)))
    bad = [row for row in rows if options.fail_on == "changed" or row["verdict"] == options.fail_on]
    return EXIT_GATE if bad else EXIT_FINE


def _run_page(options: argparse.Namespace) -> int:
    _page.write(_open(options), options.output, options.lang, options.profile_link)
    return EXIT_FINE


def _run_views(options: argparse.Namespace) -> int:
    for name in [options.name] if options.name else _views.NAMES:
        print(f"CREATE OR REPLACE VIEW {name} AS\n{_views.sql(name).strip()};\n")
    return EXIT_FINE


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    run = {"spark": _run_spark, "ranks": _run_ranks, "compact": _run_compact, "summary": _run_summary, "regressions": _run_regressions, "page": _run_page,
           "views": _run_views}
    try:
        return run[options.verb](options)
    except _tables.FleetError as error:
        print(f"stepscope fleet {options.verb}: {error}", file=sys.stderr)
        return EXIT_CANNOT_READ


if __name__ == "__main__":
    sys.exit(main())
