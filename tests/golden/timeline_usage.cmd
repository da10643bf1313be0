stepscope timeline ../tfprof/gpu/run_meta_0.pb.gz
stepscope timeline ../tfprof/gpu/run_meta_0.pb.gz -o $TMP/x.json --steps 4-3
stepscope timeline ../tfprof/gpu/run_meta_0.pb.gz ../tfprof/gpu/run_meta_1.pb.gz -o $TMP/x.json --compat timeline.py
stepscope timeline ../tfprof/conv/graph.pb.gz -o $TMP/x.json
