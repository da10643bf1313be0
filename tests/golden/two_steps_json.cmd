stepscope report --json two_steps.trace
