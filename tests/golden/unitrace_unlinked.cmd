# A device event as unitrace writes it, without a launch: 594 µs of work on gpu:0.
printf '{"traceEvents":[{"ph":"X","cat":"gpu_op","name":"op3","pid":1,"tid":1,"ts":3,"dur":594}]}' >"$TMP/one.json"
stepscope report "$TMP/one.json" | head -n 2
stepscope advise "$TMP/one.json" >/dev/null && echo advised
