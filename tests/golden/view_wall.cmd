stepscope view scope ../tfprof/conv -max_depth 2 -order_by micros --wall -step 0 -min_micros 1 --width 100
