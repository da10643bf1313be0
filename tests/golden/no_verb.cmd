stepscope >/dev/null
