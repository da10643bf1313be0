stepscope report absent.json
