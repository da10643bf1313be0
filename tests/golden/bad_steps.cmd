stepscope report --steps 8-5 x.json
