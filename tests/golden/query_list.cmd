stepscope query --list; stepscope query --list copies
