stepscope ranks --width 110 $DATA/ranks
