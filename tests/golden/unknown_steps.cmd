stepscope report --steps 90-99 two_steps.trace
