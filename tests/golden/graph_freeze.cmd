stepscope graph variables ../tfprof/conv --freeze 'net/stem/.*' --width 100
