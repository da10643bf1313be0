# A pipe, as <(zcat trace.json.gz) makes one, is read like a file.
through() {
  mkfifo "$TMP/$1"
  cat two_steps.trace >"$TMP/$1" &
}
through report
stepscope report "$TMP/report" | sed -n '/^Step/p; /^Verdict/p'
through advise
stepscope advise --json "$TMP/advise" | grep -c '"schema"'
through one
through two
stepscope report "$TMP/one" "$TMP/two" | grep -c '^Verdict'
through base
through new
stepscope diff "$TMP/base" "$TMP/new" | head -n 1
through ranks
stepscope ranks "$TMP/ranks"
