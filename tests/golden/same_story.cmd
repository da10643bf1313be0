# The same bytes from a file, gzip, gzip of two members, zstd, and standard input, but for the path; and at any number of threads.
story() { stepscope report --json "$@" | grep -v '"paths"'; }
story two_steps.trace >"$TMP/file"
gzip -c two_steps.trace >"$TMP/t.gz"
{ head -c 700 two_steps.trace | gzip -c; tail -c +701 two_steps.trace | gzip -c; } >"$TMP/members.gz"
zstd -q -c two_steps.trace >"$TMP/t.zst"
story "$TMP/t.gz" | cmp - "$TMP/file"
story "$TMP/members.gz" | cmp - "$TMP/file"
story "$TMP/t.zst" | cmp - "$TMP/file"
story - <two_steps.trace | cmp - "$TMP/file"
story - <"$TMP/t.gz" | cmp - "$TMP/file"
for n in 1 2 7; do story --threads $n two_steps.trace | cmp - "$TMP/file"; done
echo same
