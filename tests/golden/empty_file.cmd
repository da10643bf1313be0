: > "$TMP/empty.json"; stepscope report "$TMP/empty.json"
