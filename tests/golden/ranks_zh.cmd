stepscope ranks --lang zh --width 110 $DATA/ranks
