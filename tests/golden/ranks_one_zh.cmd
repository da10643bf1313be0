stepscope ranks --lang zh $DATA/ranks/slow_input_rank0.pt.trace.json.zst
