stepscope data ../data/dataset --json --step-ms 100 --batch 256 | grep -v memory
