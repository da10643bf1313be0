stepscope report --color always two_steps.trace
