#!/bin/sh
# The Python package against the command line and against what people do without it, in one run.
#   bench/python.sh [BUILD_FOLDER]
# Needs the wheel (make wheel); says so and goes on where it is not there. CPU seconds: other work on the machine counts little.
set -eu
build=${1:-build/bench}
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/.."
dir=${BENCH_DIR:-build/bench/data}
python=build/python/cp311/bin/python
if ! [ -x "$python" ] || ! "$python" -c 'import stepscope, numpy' 2>/dev/null; then
  echo "SKIPPED: the Python package is not installed in build/python; make test-python"
  exit 0
fi
trace=$dir/kineto_250.json
[ -f "$trace" ] || trace=examples/resnet50_inputbound.pt.trace.json.gz
"$python" "$here/python_rows.py" "$trace" "$build/stepscope"
tensorflow=build/tensorflow/bin/python
if [ -x "$tensorflow" ] && "$tensorflow" -c 'import stepscope' 2>/dev/null; then
  for tags in 3 10 30; do "$tensorflow" "$here/peers/eval_metrics.py" --tags "$tags" 2>/dev/null; done
else
  echo "SKIPPED: read_eval_metrics against TensorFlow: it is not in build/tensorflow; make peers"
fi
