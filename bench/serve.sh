#!/bin/sh
# The server under load: wrk with 64 connections on loopback, tiles and the report, and what it holds of memory afterwards.
#   bench/serve.sh [BUILD_FOLDER]
# BENCH_WRK_SECONDS: how long (60). BENCH_DIR: where the trace goes. The page itself is measured by make bench-web.
set -eu
build=${1:-build/bench}
seconds=${BENCH_WRK_SECONDS:-60}
dir=${BENCH_DIR:-build/bench/data}
here=$(cd "$(dirname "$0")" && pwd)
real=$here/../tests/data/h200/resnet50_good.pt.trace.json.zst
if ! command -v wrk >/dev/null; then
  echo "SKIPPED bench/serve.sh: no wrk (scripts/setup --dev installs it)"
  exit 0
fi
mkdir -p "$dir"
json=$dir/kineto_250.json
[ -f "$json" ] || "$build/bench/make_trace" "$real" "$json" 250000000

row() { printf '| %-66s | %18s | %12s | %3s |\n' "$@"; }
echo "machine: $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg)"
row "serve, 250 MB of JSON, 64 connections" "measured" "must" "met"
echo "|---|---|---|---|"

"$build/stepscope" serve --no-token "$json" >"$dir/address" 2>"$dir/log" &
server=$!
trap 'kill $server 2>/dev/null || true' EXIT
for _ in $(seq 100); do
  [ -s "$dir/address" ] && break
  kill -0 $server 2>/dev/null || { echo "SKIPPED bench/serve.sh: $(cat "$dir/log")"; exit 0; }
  sleep 0.1
done
address=$(head -n 1 "$dir/address")
tiles=${address}api/profiles/0/traces/0/tiles?lines=0,1,2,3\&shift=20\&first=0\&last=1
# Until the profile is read the answer is a refusal (409).
for _ in $(seq 60); do
  wrk -t1 -c1 -d1s "$tiles" | grep -q Non-2xx || break
done
resident() { awk '/VmRSS/ { print $2 / 1000 }' "/proc/$server/status"; }

# load NAME URL
load() {
  wrk -t2 -c64 "-d${seconds}s" --timeout 10s --latency "$2" >"$dir/wrk"
  wrong=$(grep -E 'Socket errors|Non-2xx' "$dir/wrk" | tr -s ' ' || true)
  rate=$(awk '/Requests\/sec/ { print $2 }' "$dir/wrk")
  slow=$(awk '/ 99%/ { print $2 }' "$dir/wrk")
  row "wrk, $seconds s: $1${wrong:+: $wrong}" "$rate/s, p99 $slow" "no error" "$([ -z "$wrong" ] && echo yes || echo NO)"
}
before=$(resident)
load tiles "$tiles"
load "the report" "${address}api/profiles/0/report"
after=$(resident)
row "memory after it, over $before MB before" "$(awk -v a="$after" -v b="$before" 'BEGIN { printf "%+.0f MB", a - b }')" \
  "<= 64 MB" "$(awk -v a="$after" -v b="$before" 'BEGIN { print (a - b <= 64 ? "yes" : "NO") }')"
