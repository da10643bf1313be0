stepscope tune --help
stepscope tune --help --lang zh | head -5
