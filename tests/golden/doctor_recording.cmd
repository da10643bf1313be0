# Variables that change what record can see.
CUDA_INJECTION64_PATH=/opt/other/tool.so KINETO_USE_DAEMON=1 TEARDOWN_CUPTI=0 stepscope doctor | sed -n '/^recording/,/^$/p' | grep -A1 'INJECTION\|KINETO\|TEARDOWN'
