#!/bin/sh
# On a machine with an NVIDIA GPU, PyTorch and JAX: captures from programs that use the GPU, and how long each took. Needs
# build/device of bench/device/pack.sh. About two minutes.
#   bench/device/capture_check.sh [PYTHON]
set -eu
cd "$(dirname "$0")/../.."
export XLA_PYTHON_CLIENT_PREALLOCATE=false TEARDOWN_CUPTI=1
"${1:-python3}" bench/peers/capture_frameworks.py build/device/stepscope
