stepscope timeline --help --lang zh
