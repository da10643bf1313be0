# What is wrong with a place is said before ssh runs.
stepscope serve
stepscope serve --remote node/x
stepscope serve --remote ssh://node
stepscope serve --remote ssh://node:0/x
stepscope serve --remote ssh://node/x trace.json
stepscope capture --via node pid:1
stepscope capture --via ssh:-oProxyCommand=x pid:1
stepscope capture --lang zh --via ssh: pid:1
stepscope capture --watch --via ssh:node localhost:9012
stepscope capture --via ssh:node --ssh /no/such/ssh --list
