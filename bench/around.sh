#!/bin/sh
# Speed of the verbs around the profile against TensorFlow and TensorBoard, all sides in one run, as a table with ratios.
#   bench/around.sh [BUILD_FOLDER]
# Needs a Python with tensorflow and tensorboard: .venv (make peers), or PEERS_PYTHON. BENCH_RUNS: how often each side is
# measured (3); the best counts. BENCH_DIR: where the files go.
set -eu
build=${1:-build/bench}
runs=${BENCH_RUNS:-3}
dir=${BENCH_DIR:-build/bench/data}/around
here=$(cd "$(dirname "$0")" && pwd)
python=${PEERS_PYTHON:-$here/../.venv/bin/python}
program=$(cd "$build" && pwd)/stepscope
if ! "$python" -c 'import tensorflow, tensorboard' 2>/dev/null; then
  echo "SKIPPED bench/around.sh: no Python with tensorflow and tensorboard (make peers)"
  exit 0
fi
mkdir -p "$dir"
export TF_CPP_MIN_LOG_LEVEL=3

# seconds COMMAND...: least wall time over all runs.
seconds() {
  least=
  for _ in $(seq "$runs"); do
    start=$(date +%s.%N)
    "$@" >"$dir/out" 2>"$dir/log" || { cat "$dir/log"; exit 1; }
    least=$(awk -v a="${least:-1e9}" -v s="$start" -v e="$(date +%s.%N)" 'BEGIN { t = e - s; print a < t ? a : t }')
  done
}
peer() { peer_seconds=$("$python" "$here/peers/around_peers.py" "$@" "$runs" 2>"$dir/log") || { cat "$dir/log"; exit 1; }; }
row() {
  awk -v name="$1" -v ours="$2" -v theirs="$3" -v must="$4" 'BEGIN {
    ratio = theirs / ours
    printf "| %-62s | %7.3f s | %7.3f s | %6.2fx | %5sx | %s |\n", name, ours, theirs, ratio, must, (ratio >= must ? "yes" : "NO") }'
}

echo "machine: $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg); $runs runs each, best counts"
echo "| work | stepscope | the other | ratio | must | met |"
echo "|---|---|---|---|---|---|"

events=$dir/logs/events.out.tfevents.1700000000.bench
[ -f "$events" ] || "$python" "$here/peers/around_peers.py" make-events "$events" 100000000 0 2>"$dir/log"
seconds "$program" events "$dir/logs"
ours=$least
peer event-file-loader "$events"
row "events of 100 MB of scalars; TensorBoard's EventFileLoader" "$ours" "$peer_seconds" 20
seconds "$program" events "$dir/logs" --json
row "the same, every point as JSON" "$least" "$peer_seconds" 1

records=$dir/records.tfrecord
[ -f "$records" ] || "$python" "$here/peers/around_peers.py" make-records "$records" 1000000000 0 2>"$dir/log"
cat "$records" >/dev/null
seconds "$program" data verify "$records"
ours=$least
peer read-into-memory "$records"
row "every CRC of 1 GB of TFRecord; reading it into memory, warm" "$ours" "$peer_seconds" 0.9

[ -d "$dir/small" ] || "$python" "$here/peers/around_peers.py" make-small "$dir/small" 20000 0 2>"$dir/log"
pack() { rm -rf "$dir/packed"; }
least_pack=
for _ in $(seq "$runs"); do
  pack
  start=$(date +%s.%N)
  "$program" data pack "$dir/small" -o "$dir/packed" >"$dir/out"
  least_pack=$(awk -v a="${least_pack:-1e9}" -v s="$start" -v e="$(date +%s.%N)" 'BEGIN { t = e - s; print a < t ? a : t }')
done
peer tfrecord-writer "$dir/small" "$dir/tf.tfrecord"
row "packing 20,000 files of 2 kB; TensorFlow's TFRecordWriter" "$least_pack" "$peer_seconds" 3.5
least_copy=
for _ in $(seq "$runs"); do
  rm -rf "$dir/copy"
  mkdir "$dir/copy"
  start=$(date +%s.%N)
  find "$dir/small" -type f -print0 | xargs -0 -n 10000 -P 2 cp -t "$dir/copy"
  least_copy=$(awk -v a="${least_copy:-1e9}" -v s="$start" -v e="$(date +%s.%N)" 'BEGIN { t = e - s; print a < t ? a : t }')
done
row "the same; a plain copy with two threads (cp)" "$least_pack" "$least_copy" 0.7
rm -rf "$dir/copy" "$dir/packed"
