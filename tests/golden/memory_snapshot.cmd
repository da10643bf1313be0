stepscope report $DATA/h200/leak_snapshot.pickle.zst
