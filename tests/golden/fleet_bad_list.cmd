printf 'a.json\n{"bytes": 3}\n' | stepscope fleet analyze --paths-from - --out $TMP/t
