# needs a terminal: colour on one, NO_COLOR wins, --ascii is obeyed.
script -qec 'stepscope report two_steps.trace' /dev/null </dev/null | grep -q "$(printf '\033\\[1m')" && echo "colour on a terminal"
script -qec 'NO_COLOR=1 stepscope report two_steps.trace' /dev/null </dev/null | grep -c "$(printf '\033\\[1m')"
script -qec 'stepscope report --ascii two_steps.trace' /dev/null </dev/null | LC_ALL=C grep -c "$(printf '[\200-\377]')" || true
