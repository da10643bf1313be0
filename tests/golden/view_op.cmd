stepscope view op ../tfprof/conv -order_by micros -max_depth 5 -select micros,occurrence,bytes --width 100
