# Options come; what has to stay is the shape of it, and that the examples name what exists.
stepscope report --help | grep '^usage'
for option in --top --all --steps --device --csv --json --ascii --color --width --threads; do
  stepscope report --help | grep -q "^  $option[ ,]" || echo "no $option"
done
stepscope report --help | grep -q "^  stepscope report " && echo "examples"
stepscope report -h | cmp - "$(stepscope report --help >"$TMP/help"; echo "$TMP/help")" && echo "two spellings"
