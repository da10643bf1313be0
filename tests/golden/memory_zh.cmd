stepscope memory --lang zh $DATA/h200/leak_snapshot.pickle.zst --against $DATA/h200/leak_snapshot.pickle.zst --top 2
