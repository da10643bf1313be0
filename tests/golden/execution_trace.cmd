stepscope report $DATA/h200/et_linked.execution_trace.json.zst
