stepscope fleet --help
