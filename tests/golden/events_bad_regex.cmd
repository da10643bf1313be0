stepscope events $EXAMPLES/logs --tag "("
