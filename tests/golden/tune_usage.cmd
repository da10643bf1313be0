stepscope tune
stepscope tune --try POOL -- true
stepscope tune --limit soon --try A=1 -- true
stepscope tune --runs 1 --try A=1 -- true
mkdir "$TMP/full" && touch "$TMP/full/file"
stepscope tune --quiet --out "$TMP/full" --try A=1 -- true 2>&1 | sed "s|$TMP|TMP|"
stepscope tune --quiet --try A=1 -- no-such-program-anywhere
stepscope tune --quiet --try A=1 -- sh -c 'echo broken; exit 5'
