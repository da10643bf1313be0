stepscope report --top many x.json
