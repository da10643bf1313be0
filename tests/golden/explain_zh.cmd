LC_ALL=zh_CN.UTF-8 stepscope explain --width 80 tf32-disabled comm-exposed
