stepscope events $EXAMPLES/logs --run restarted --rate && stepscope events $EXAMPLES/logs --run restarted --raw --csv
