printf 'set -max_depth 1 -select params\nscope -min_params 1\nfoo\nop -max_depth 0 -order_by params\nquit\n' | stepscope view ../tfprof/conv --width 80
