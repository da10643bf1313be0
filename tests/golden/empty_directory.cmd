mkdir "$TMP/void"; stepscope report "$TMP/void"
