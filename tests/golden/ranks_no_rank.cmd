stepscope report --rank 9 $DATA/ranks
