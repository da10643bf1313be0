stepscope report --width 100 --top 2 --rank 1 $DATA/ranks
