#!/bin/sh
# Speed and memory of whole reports, all sides in one run, as a table with ratios.
#   bench/run.sh [BUILD_FOLDER]
# BENCH_SIZES: bytes of JSON to make (default 250 MB; "250 2000 10000" in MB for all three).
# On a machine that does other work only the CPU seconds mean something.
# BENCH_RUNS: how often each row is measured (3); the best counts. BENCH_DIR: where the traces go.
set -eu
build=${1:-build/bench}
sizes=${BENCH_SIZES:-250}
runs=${BENCH_RUNS:-3}
dir=${BENCH_DIR:-build/bench/data}
here=$(cd "$(dirname "$0")" && pwd)
real=$here/../tests/data/h200/resnet50_good.pt.trace.json.zst
program=$build/stepscope
parts=$build/bench/parse_trace
mkdir -p "$dir"

# best COMMAND...: least wall and CPU seconds and the peak resident set in MB over all runs.
best() {
  least=
  cpu=
  peak=0
  for _ in $(seq "$runs"); do
    /usr/bin/time -f '%e %M %U %S' -o "$dir/time" "$@" >/dev/null 2>"$dir/log" || { cat "$dir/log"; exit 1; }
    read -r seconds kilobytes user system <"$dir/time"
    cpu=$(awk -v a="${cpu:-9999}" -v u="$user" -v s="$system" 'BEGIN { print (a < u + s ? a : u + s) }')
    least=$(awk -v a="${least:-$seconds}" -v b="$seconds" 'BEGIN { print (a < b ? a : b) }')
    peak=$(awk -v a="$peak" -v b="$kilobytes" 'BEGIN { print (a > b / 1000 ? a : b / 1000) }')
  done
}
ratio() { awk -v a="$1" -v b="$2" -v f="${3:-%.2f}" 'BEGIN { printf f, a / b }'; }
verdict() { awk -v a="$1" -v b="$2" -v how="$3" 'BEGIN { print ((how == "least" ? a >= b : a <= b) ? "yes" : "NO") }'; }
# row WORK MEASURED MUST MET [CPU_SECONDS]
row() { printf '| %-66s | %10s | %6s | %3s | %6s |\n' "$1" "$2" "$3" "$4" "${5:-}"; }

echo "machine: $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg); $runs runs each, best counts"
row "work" "measured" "must" "met" "CPU s"
echo "|---|---|---|---|---|"
for megabytes in $sizes; do
  json=$dir/kineto_$megabytes.json
  [ -f "$json" ] || "$build/bench/make_trace" "$real" "$json" "${megabytes}000000"
  [ -f "$json.gz" ] || gzip -6 -k "$json"
  bytes=$(stat -L -c %s "$json")

  best "$program" report "$json"
  plain=$least
  plain_cpu=$cpu
  plain_peak=$peak
  best "$program" report --threads 1 "$json"
  alone=$least
  alone_cpu=$cpu
  best "$program" report "$json.gz"
  zipped=$least
  zipped_cpu=$cpu
  best "$parts" parse "$json.gz"
  parsed=$least
  best "$parts" parse "$json" 1
  core=$least
  core_cpu=$cpu

  speed=$(awk -v b="$bytes" -v s="$plain" 'BEGIN { printf "%.2f", b / s / 1e9 }')
  row "$megabytes MB: report, plain JSON" "$speed GB/s" ">= 1.0" "$(verdict "$speed" 1.0 least)" "$plain_cpu"
  row "$megabytes MB: report, 2 threads against 1" "$(ratio "$alone" "$plain") x" ">= 1.6" \
    "$(verdict "$(ratio "$alone" "$plain")" 1.6 least)" "$alone_cpu"
  row "$megabytes MB: report .gz ($zipped s) against inflate + parse ($parsed s)" \
    "$(ratio "$zipped" "$parsed") x" "<= 1.5" "$(verdict "$(ratio "$zipped" "$parsed")" 1.5 most)" "$zipped_cpu"
  row "$megabytes MB: parse alone, one core" \
    "$(awk -v b="$bytes" -v s="$core" 'BEGIN { printf "%.2f", b / s / 1e9 }') GB/s" ">= 1.2" \
    "$(verdict "$(awk -v b="$bytes" -v s="$core" 'BEGIN { print b / s / 1e9 }')" 1.2 least)" "$core_cpu"
  # Rules and replay against all phases of a report, CPU of all threads.
  advice=$("$build/bench/report_phases" "$json" | awk '/link only/ { next } { for (i = 1; i < NF; ++i) if ($i == "cpu") all += $(i + 1) }
    $1 == "advise" { for (i = 1; i < NF; ++i) if ($i == "cpu") rules = $(i + 1) } END { printf "%.1f", 100 * rules / all }')
  row "$megabytes MB: all rules and the replay, of a report's CPU" "$advice %" "<= 15" "$(verdict "$advice" 15 most)"
  memory=$(awk -v p="$plain_peak" -v b="$bytes" 'BEGIN { printf "%.2f", p * 1e6 / b }')
  row "$megabytes MB: peak memory against the JSON ($plain_peak MB)" "$memory x" "<= 0.5" \
    "$(verdict "$memory" 0.5 most)"
  if [ "$megabytes" -le 300 ]; then
    if command -v python3 >/dev/null; then
      best python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$json"
      row "$megabytes MB: report .gz against Python json.load of plain ($least s)" \
        "$(ratio "$least" "$zipped" %.1f) x" ">= 25" "$(verdict "$(ratio "$least" "$zipped")" 25 least)" "$cpu"
    else
      row "SKIPPED: no python3 to compare json.load with" "" "" ""
    fi
  fi
done

small=$dir/small.json
[ -f "$small" ] || "$build/bench/make_trace" "$real" "$small" 2900000
# Below a hundredth of a second the clock of time(1) is too coarse: 20 in a row.
repeat() { for _ in $(seq 20); do "$@" >/dev/null; done; }
milliseconds() {
  start=$(date +%s%N)
  repeat "$@"
  echo $((($(date +%s%N) - start) / 20000000))
}
ms=$(milliseconds "$program" report "$small")
row "2.9 MB of JSON: report" "$ms ms" "<= 60" "$(verdict "$ms" 60 most)"
ms=$(milliseconds "$program" --version)
row "--version" "$ms ms" "<= 10" "$(verdict "$ms" 10 most)"
"$here/run_xplane.sh" "$build"

"$here/tfprof.sh" "$build"
"$here/around.sh" "$build"
"$here/python.sh" "$build"
"$here/serve.sh" "$build"
