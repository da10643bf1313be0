echo $TMP/none.json | stepscope fleet analyze --paths-from - --out $TMP/t --json --max-failed 5
