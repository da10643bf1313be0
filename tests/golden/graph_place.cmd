stepscope graph variables ../tfprof/conv --place gpu:0,gpu:1 --width 100
