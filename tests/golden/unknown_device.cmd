stepscope report --device gpu:7 two_steps.trace
