stepscope report --lang zh absent.json
