stepscope report --steps 2 --json two_steps.trace | grep -A8 "^  \"steps\""
