stepscope diff --width 100 --top 3 $DATA/rules/feed-dict-input.bad.run_meta.pb $DATA/rules/feed-dict-input.fixed.run_meta.pb
