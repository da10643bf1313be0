stepscope view scope $EXAMPLES/resnet50_inputbound.pt.trace.json.gz -max_depth 2 -order_by micros -min_micros 2000 -select micros,params,occurrence --width 100
