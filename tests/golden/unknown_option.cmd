stepscope report --jsno x.json
