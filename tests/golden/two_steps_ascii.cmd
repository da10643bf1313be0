stepscope report --all --ascii two_steps.trace
