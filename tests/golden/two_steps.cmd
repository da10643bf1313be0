stepscope report two_steps.trace
