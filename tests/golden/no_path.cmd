stepscope report
