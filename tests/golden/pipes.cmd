# No colour into pipes; a reader that goes away is no fault.
stepscope report two_steps.trace | grep -c "$(printf '\033')"
stepscope report --all two_steps.trace | head -1 >/dev/null
echo piped
