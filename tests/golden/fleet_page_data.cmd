echo '{}' | stepscope fleet page --data - -o $TMP/fleet.html
