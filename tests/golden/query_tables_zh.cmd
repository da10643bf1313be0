stepscope query --tables --lang zh; stepscope query --tables idle
