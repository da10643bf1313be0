printf "\211PNG\r\n\032\n0000" > "$TMP/picture.png"; stepscope report "$TMP/picture.png"
