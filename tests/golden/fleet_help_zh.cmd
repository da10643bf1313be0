stepscope fleet --help --lang zh
