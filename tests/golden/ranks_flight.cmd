entry() { printf '{"process_group": ["0", "default_pg"], "collective_seq_id": %s, "profiling_name": "nccl:all_reduce", "input_sizes": [[4]], "input_dtypes": ["Float"], "state": "%s", "is_p2p": false, "frames": [{"name": "train_step", "filename": "train.py", "line": 31}]}' $1 $2; }
dump() { printf '{"version": "2.4", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}}, "entries": [%s]}' "$1" >$TMP/nccl_trace_rank_$2; }
dump "$(entry 1 completed), $(entry 2 scheduled)" 0; dump "$(entry 1 completed)" 1
stepscope ranks --width 110 $TMP/nccl_trace_rank_*
stepscope ranks --json $TMP/nccl_trace_rank_* | grep '"kind"'
