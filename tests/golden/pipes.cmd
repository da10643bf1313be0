# No colour into pipes, NO_COLOR wins on a terminal, a reader that goes away is no fault.
stepscope report two_steps.trace | grep -c "$(printf '\033')"
script -qec 'stepscope report two_steps.trace' /dev/null </dev/null | grep -q "$(printf '\033\\[1m')" && echo "colour on a terminal"
script -qec 'NO_COLOR=1 stepscope report two_steps.trace' /dev/null </dev/null | grep -c "$(printf '\033\\[1m')"
script -qec 'stepscope report --ascii two_steps.trace' /dev/null </dev/null | LC_ALL=C grep -c "$(printf '[\200-\377]')"
stepscope report --all two_steps.trace | head -1 >/dev/null
echo piped
