printf 'versions { producer: 26 }\n' > $TMP/empty.pbtxt
stepscope view scope --graph_path=$TMP/empty.pbtxt -select params --width 60
stepscope view op --graph_path=../../fuzz/corpus/graph_def/text --run_meta_path=../tfprof/conv/run_meta_1.pb.gz -max_depth 0 --width 60
stepscope view scope ../tfprof/conv -step 9
stepscope view scop ../tfprof/conv
stepscope view scope ../tfprof/conv -show_name_regexes '((' -max_depth 1 --width 60
stepscope view code ../tfprof/conv -output pprof
printf 'scope foo\nset -max_dept 2\n' | stepscope view ../tfprof/conv
