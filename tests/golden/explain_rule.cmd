stepscope explain --width 100 dataloader-workers-zero
