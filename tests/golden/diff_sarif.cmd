stepscope diff --format sarif $DATA/h200/gpt2_modules.pt.trace.json.zst $DATA/h200/gpt2_modules.pt.trace.json.zst
