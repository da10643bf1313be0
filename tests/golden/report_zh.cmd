LC_ALL=zh_CN.UTF-8 stepscope report --width 90 two_steps.trace
