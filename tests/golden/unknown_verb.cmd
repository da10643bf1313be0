stepscope reprot x.json
