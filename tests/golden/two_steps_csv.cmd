stepscope report --csv "$TMP/tables" two_steps.trace >/dev/null; cd "$TMP/tables"; for t in *.csv; do echo "== $t"; cat "$t"; done
