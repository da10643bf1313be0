#!/bin/sh
# Runs every fuzzer of a build for FUZZ_SECONDS (60) each, one per core, from its seed corpus. New inputs are kept
# under the build folder; after all have run, those that crashed are named with their last lines and the input.
#   fuzz/run.sh [BUILD_FOLDER]        all
#   fuzz/run.sh BUILD_FOLDER PROGRAM  one
set -eu
# Whole paths: a fuzzer may work in a folder of its own.
build=$(cd "${1:-build/asan}" && pwd)
seconds=${FUZZ_SECONDS:-60}
here=$(cd "$(dirname "$0")" && pwd)

if [ $# -lt 2 ]; then
  ls "$build"/fuzz/*_fuzz >/dev/null 2>&1 || { echo "fuzz: no fuzzers under $build/fuzz"; exit 1; }
  ls "$build"/fuzz/*_fuzz | xargs -n 1 -P "$(nproc)" "$0" "$build"
  exit
fi

program=$(realpath "$2")
name=$(basename "$program" _fuzz)
grown="$build/fuzz/grown/$name"
mkdir -p "$grown"
seeds="$here/corpus/$name"
[ -d "$seeds" ] || seeds=
if "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 -max_len=65536 -print_final_stats=1 \
    -artifact_prefix="$grown/" "$grown" $seeds 2>"$grown.log"; then
  units=$(sed -n 's/^stat::number_of_executed_units: *//p' "$grown.log")
  echo "fuzz: $name fine, $units inputs in $seconds s"
else
  tail -n 30 "$grown.log"
  echo "fuzz: $name FAILED, see $grown.log"
  exit 1
fi
