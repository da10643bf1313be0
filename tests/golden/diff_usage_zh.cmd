stepscope diff --lang zh; stepscope diff --lang zh a b c; stepscope diff --lang zh --threshold 300% a b
