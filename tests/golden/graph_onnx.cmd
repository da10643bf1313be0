stepscope graph ../onnx/attention.onnx --width 80
