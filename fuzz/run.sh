#!/bin/sh
# Runs every fuzzer of a build for FUZZ_SECONDS (60) each, from its seed corpus. What it finds new is
# kept under the build folder; a crash ends the run and names the input.
#   fuzz/run.sh [BUILD_FOLDER]
set -eu
build=${1:-build/fuzz}
seconds=${FUZZ_SECONDS:-60}
here=$(dirname "$0")
found=0
for program in "$build"/fuzz/*_fuzz; do
  [ -x "$program" ] || continue
  found=1
  name=$(basename "$program" _fuzz)
  grown="$build/fuzz/grown/$name"
  mkdir -p "$grown"
  seeds="$here/corpus/$name"
  [ -d "$seeds" ] || seeds=
  echo "fuzz: $name for $seconds s"
  "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 -max_len=65536 \
    -print_final_stats=1 -artifact_prefix="$grown/" "$grown" $seeds 2>"$grown.log" ||
    { tail -n 30 "$grown.log"; echo "fuzz: $name failed, see $grown.log"; exit 1; }
  grep -E 'number_of_executed_units|new_units_added' "$grown.log"
done
[ "$found" = 1 ] || { echo "fuzz: no fuzzers under $build/fuzz"; exit 1; }
