stepscope report --help
