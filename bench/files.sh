#!/bin/sh
# Speed of the formats that other tools write: Nsight Systems, Perfetto, PyTorch's memory snapshots, as a table. CPU
# seconds of both sides, in turn; the best of all runs counts.
#   bench/files.sh [BUILD_FOLDER]
# BENCH_RUNS: how often each row is measured (3). BENCH_DIR: where the files go. BENCH_ROWS: of the export (5,000,000).
# BENCH_MB: megabytes of JSON from which the Perfetto trace is made (640). BENCH_EVENTS: of the snapshot (3,000,000).
set -eu
build=${1:-build/bench}
dir=${BENCH_DIR:-build/bench/data}
here=$(cd "$(dirname "$0")" && pwd)
program=${BENCH_PROGRAM:-$build/stepscope}
runs=${BENCH_RUNS:-3}
mkdir -p "$dir"

least() {
  best=
  for _ in $(seq "$runs"); do
    /usr/bin/time -f '%U %S' -o "$dir/time" "$@" >/dev/null
    best=$(awk -v a="${best:-1e9}" '{ print (a < $1 + $2 ? a : $1 + $2) }' "$dir/time")
  done
  echo "$best"
}
row() { printf '| %-72s | %10s | %9s | %3s |\n' "$1" "$2" "$3" "$4"; }
rate() { awk -v b="$(stat -c %s "$1")" -v s="$2" 'BEGIN { printf "%.0f", b / 1e6 / s }'; }
least_of() { awk -v a="$1" -v b="$2" 'BEGIN { print (a >= b ? "yes" : "NO") }'; }

echo "machine: $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg); CPU seconds, best of $runs"
row "work" "measured" "must" "met"
echo "|---|---|---|---|"

rows=${BENCH_ROWS:-5000000}
[ -f "$dir/export_$rows.sqlite" ] || "$build/bench/make_nsys" "$dir/export_$rows.sqlite" "$rows"
scan=$(least "$build/bench/scan_nsys" "$dir/export_$rows.sqlite")
report=$(least "$program" report "$dir/export_$rows.sqlite")
times=$(awk -v a="$report" -v b="$scan" 'BEGIN { printf "%.2f", a / b }')
row "report of an nsys export of $rows rows, against sqlite3 ($report / $scan s)" "$times x" "<= 2 x" "$(least_of 2 "$times")"

megabytes=${BENCH_MB:-640}
json=$dir/kineto_$megabytes.json
[ -f "$json" ] || "$build/bench/make_trace" "$here/../tests/data/h200/resnet50_good.pt.trace.json.zst" "$json" "${megabytes}000000"
[ -f "$json.pftrace" ] || "$program" timeline "$json" -o "$json.pftrace" >/dev/null
seconds=$(least "$build/bench/parse_trace" open "$json.pftrace" 1)
speed=$(rate "$json.pftrace" "$seconds")
row "reading $(stat -c %s "$json.pftrace") bytes of Perfetto protobuf ($seconds s)" "$speed MB/s" "500 MB/s" "$(least_of "$speed" 500)"

events=${BENCH_EVENTS:-3000000}
[ -f "$dir/snapshot_$events.pickle" ] || python3 "$here/make_snapshot.py" "$dir/snapshot_$events.pickle" "$events"
seconds=$(least "$program" memory "$dir/snapshot_$events.pickle")
speed=$(rate "$dir/snapshot_$events.pickle" "$seconds")
row "memory of a snapshot of $(stat -c %s "$dir/snapshot_$events.pickle") bytes ($seconds s)" "$speed MB/s" "200 MB/s" "$(least_of "$speed" 200)"
