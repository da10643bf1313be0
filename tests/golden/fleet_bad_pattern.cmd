echo a | stepscope fleet analyze --paths-from - --out $TMP/t --path-pattern '{jobs}/*'
