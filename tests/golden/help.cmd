# The list of verbs grows; what has to stay is the shape of it.
stepscope --help | grep -c '^  report '
stepscope --help | grep '^usage\|^Exit codes'
stepscope -h >/dev/null && stepscope help >/dev/null && echo "three spellings"
stepscope --version | grep -c '^stepscope [0-9]'
