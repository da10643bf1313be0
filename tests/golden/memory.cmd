stepscope memory $DATA/h200/leak_snapshot.pickle.zst --top 3
