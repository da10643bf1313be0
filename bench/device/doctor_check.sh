#!/bin/sh
# On a machine with an NVIDIA GPU and PyTorch: the architectures that `stepscope doctor` finds in PyTorch's libraries have to
# equal torch.cuda.get_arch_list(). Builds only what that needs, with g++ and nothing else installed.
#   bench/device/doctor_check.sh [PYTHON]
set -eu
python=${1:-python3}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compiler=
for name in g++-14 g++-13 g++-12 g++ clang++-19 clang++; do
  if command -v "$name" >/dev/null; then compiler=$name; break; fi
done
[ -n "$compiler" ] || { echo "SKIPPED doctor_check: no C++ compiler"; exit 77; }
"$compiler" -std=c++23 -O2 -I"$root/src" "$root/bench/device/doctor_check.cc" "$root/src/read/machine/elf_file.cc" \
  "$root/src/read/machine/fat_binary.cc" -o "$work/doctor_check"
cat >"$work/ask.py" <<'END'
import os, torch
print(" ".join(sorted(torch.cuda.get_arch_list())))
print(torch.__version__, torch.version.cuda, torch.cuda.get_device_name(0), torch.cuda.get_device_capability(0))
print(os.path.join(os.path.dirname(torch.__file__), "lib"))
END
"$python" "$work/ask.py" >"$work/asked"
stated=$(sed -n 1p "$work/asked")
echo "torch: $(sed -n 2p "$work/asked")"
lib=$(sed -n 3p "$work/asked")
found=$("$work/doctor_check" "$lib"/libtorch_cuda*.so* "$lib"/libc10_cuda*.so* 2>"$work/details")
cat "$work/details"
echo "get_arch_list: $stated"
echo "found:         $found"
if [ "$stated" = "$found" ]; then echo "equal"; else echo "DIFFERENT"; exit 1; fi
