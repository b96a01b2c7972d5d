exec {__ph_out}>&1
__ph_jobs=$1 __ph_replies=$2 __ph_nonce=$3
set --
printf 'ready\t%s\n' "$BASH_VERSION" >&"$__ph_replies"
while IFS=$'\t' read -r -u "$__ph_jobs" __ph_run __ph_block __ph_lines __ph_input __ph_folder; do
    printf -v __ph_block %b "${__ph_block//%/\\x}"
    printf -v __ph_input %b "${__ph_input//%/\\x}"
    exec <"$__ph_input"
    printf 'began\n' >&"$__ph_replies"
    source "$__ph_block"
    printf 'end\tfinished\t%d\t\n' "$?" >&"$__ph_replies"
done
