stepscope fleet
