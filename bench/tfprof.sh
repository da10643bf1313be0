#!/bin/sh
# tfprof's views against TensorFlow's own, and a graph of 200,000 nodes.
#   bench/tfprof.sh [BUILD_FOLDER]
# TensorFlow comes from `make peers` (build/tensorflow) or PEERS_PYTHON; without it the comparison is skipped, loudly.
set -eu
build=${1:-build/bench}
dir=${BENCH_DIR:-build/bench/data}
here=$(cd "$(dirname "$0")" && pwd)
python=${PEERS_PYTHON:-$here/../build/tensorflow/bin/python}
deep=$dir/tf/deep
program=$build/stepscope
mkdir -p "$dir"
"$here/../tests/unpack-data" "$dir"
row() { printf '| %-58s | %12s | %9s | %3s |\n' "$@"; }
verdict() { awk -v a="$1" -v b="$2" -v how="$3" 'BEGIN { print (how == "least" ? a >= b : a <= b) ? "yes" : "NO" }'; }

run=$deep/run_meta_0.pb
# Processor seconds, so that a busy machine does not decide; 20 in a row, as one is too short for the clock. Neither
# side counts its start: importing TensorFlow there, loading the program here.
cpu20() { /usr/bin/time -f '%U %S' -o "$dir/time" sh -c "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do $1; done"; }
ours=
for _ in 1 2 3; do
  cpu20 "$program --version >/dev/null"
  start=$(awk '{ print ($1 + $2) / 20 }' "$dir/time")
  cpu20 "$program view scope --graph_path=$deep/graph.pb --run_meta_path=$run,$run,$run -output=file:outfile=$dir/deep_scope"
  seconds=$(awk -v start="$start" '{ print ($1 + $2) / 20 - start }' "$dir/time")
  ours=$(awk -v a="${ours:-$seconds}" -v b="$seconds" 'BEGIN { print a < b ? a : b }')
done
if [ -x "$python" ] && "$python" -c 'import tensorflow' 2>/dev/null; then
  theirs=$("$python" "$here/peers/tfprof_scope.py" "$deep/graph.pb" /dev/null "$run" "$run" "$run" 2>/dev/null)
  ratio=$(awk -v a="$theirs" -v b="$ours" 'BEGIN { printf "%.1f", a / b }')
  row "deep, 3 runs, scope view: ours ${ours} s, TensorFlow ${theirs} s" "$ratio x" ">= 10" "$(verdict "$ratio" 10 least)"
else
  row "SKIPPED: no TensorFlow (make peers); ours takes ${ours} s" "" "" ""
fi

graph=$dir/graph_200k.pb
[ -f "$graph" ] || python3 "$here/make_graph.py" "$graph" 200000
for view in "view scope --graph_path=$graph -select=params -output=file:outfile=$dir/graph_scope" \
  "view graph --graph_path=$graph -select=params,input_shapes -max_depth=5 -output=file:outfile=$dir/graph_graph" \
  "graph $graph"; do
  least=
  for _ in 1 2 3; do
    # shellcheck disable=SC2086
    /usr/bin/time -f '%e %M' -o "$dir/time" "$program" $view >/dev/null
    read -r seconds kilobytes <"$dir/time"
    least=$(awk -v a="${least:-$seconds}" -v b="$seconds" 'BEGIN { print a < b ? a : b }')
  done
  megabytes=$((kilobytes / 1000))
  name=$(echo "$view" | cut -d' ' -f1-2 | sed 's| */.*||')
  row "200,000 nodes: $name" "$least s" "<= 1" "$(verdict "$least" 1 most)"
  row "200,000 nodes: $name, memory" "$megabytes MB" "<= 500" "$(verdict "$megabytes" 500 most)"
done
