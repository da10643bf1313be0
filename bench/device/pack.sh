#!/bin/sh
# Gathers build/release/stepscope and the libraries it needs into build/device, for a machine on which nothing can be
# installed. build/device/stepscope there runs it.
set -eu
cd "$(dirname "$0")/../.."
rm -rf build/device
mkdir -p build/device/lib build/device/bin
cp build/release/stepscope build/device/bin/stepscope
strip build/device/bin/stepscope
curl=$(ldconfig -p | sed -n 's/.*libcurl\.so\.4 .*=> //p' | head -1)
for library in build/release/stepscope $curl; do
  ldd "$library" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p'
done | grep -vE '/(libc|libm|libdl|librt|libpthread|ld-linux[^/]*)\.so' | sort -u | xargs -I{} cp -L {} build/device/lib/
[ -z "$curl" ] || cp -L "$curl" build/device/lib/libcurl.so.4
cat >build/device/stepscope <<'END'
#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
# Not LD_LIBRARY_PATH: programs that Stepscope starts would inherit it.
exec /lib64/ld-linux-x86-64.so.2 --library-path "$here/lib" "$here/bin/stepscope" "$@"
END
chmod +x build/device/stepscope
du -sh build/device
