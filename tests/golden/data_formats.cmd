stepscope data ../data/dataset && stepscope data verify ../data/dataset && stepscope data cat ../data/dataset/tiny.gzip.tfrecord --first 3
