# Runs blocks in one zsh; child.py says how it is spoken to.
#
# Our descriptors are closed in what the blocks start. Functions of ours bring the options of plain
# zsh along (`emulate -L`), because blocks may have set any others.

zmodload zsh/system zsh/parameter zsh/zselect zsh/datetime
sysopen -r -o cloexec -u __ph_jobs /dev/fd/$1
sysopen -w -o cloexec -u __ph_replies /dev/fd/$2
sysopen -w -o cloexec -u __ph_out /dev/fd/1
__ph_jobs_given=$1 __ph_replies_given=$2
exec {__ph_jobs_given}<&- {__ph_replies_given}>&-
typeset -g __ph_nonce=$3 __ph_spool=$PLAYHEAD_SPOOL
unset PLAYHEAD_SPOOL
typeset -g __ph_names=$__ph_spool/names
typeset -g __ph_run= __ph_name= __ph_lines= __ph_input= __ph_block= __ph_folder=
typeset -g __ph_pwd= __ph_old_pwd= __ph_stopped= __ph_err=
typeset -ga __ph_flags=()
typeset -gi __ph_line=0 __ph_questions=0 __ph_code=0 __ph_count=0 __ph_hot_from=300 __ph_bits=0
typeset -gF __ph_due=0
typeset -gA __ph_seen=()
set --

# --- In the block -----------------------------------------------------------------------------

# Before each command, but one of the same line. A function costs ten times as much as all of this.
__ph_taking='(exec|trap|TRAP|set)*'
__ph_each='[[ ${funcsourcetrace[1]} != "$__ph_name":* ]] ||
    (( LINENO + ${funcsourcetrace[1]##*:} == __ph_line )) && [[ $ZSH_DEBUG_CMD != ${~__ph_taking} ]] ||
    __ph_at'

# The same for a block with a loop: a line that it has come by before is told now and then.
# A bit a line is cheapest; where functions count lines of their own, or there are many, by a name.
__ph_each_hot='(( LINENO < 63 && __ph_bits >> LINENO & 1 && EPOCHREALTIME < __ph_due )) ||
    __ph_at_hot "$LINENO"'
__ph_each_named='(( ${+__ph_seen[$0:$LINENO]} && EPOCHREALTIME < __ph_due )) ||
    __ph_at_named "$0:$LINENO"'

# The first word of every block's file: the block is opened from its folder by its bare name, so
# that messages show no path, and runs where the one before has stopped.
__ph_begin() {
    builtin cd -q -- "$__ph_pwd" 2>/dev/null || {
        builtin printf 'The folder %s is not there any more: this runs in /.\n' "$__ph_pwd" >&2
        builtin cd -q /
    }
    OLDPWD=$__ph_old_pwd
    [[ $__ph_lines != 1 ]] || trap "$__ph_each" DEBUG
    (( ! $#__ph_flags )) || setopt $__ph_flags
    # To a trap the old status would be a failure of this block.
    [[ -n $__ph_err || $#__ph_flags -gt 0 ]] || return $__ph_code
}

__ph_at() {
    __ph_tell "${funcfiletrace[1]}"
    (( ++__ph_count < __ph_hot_from )) || trap "$__ph_each_hot" DEBUG
}

__ph_at_hot() {
    (( __ph_due = EPOCHREALTIME + 0.033 ))
    if (( $1 < 63 )) && [[ ${funcstack[2]} == "$__ph_name" ]]; then
        (( __ph_bits |= 1 << $1 ))
    else
        trap "$__ph_each_named" DEBUG
    fi
    __ph_tell "${funcfiletrace[1]}"
}

__ph_at_named() {
    __ph_seen[$1]=1
    (( __ph_due = EPOCHREALTIME + 0.033 ))
    __ph_tell "${funcfiletrace[1]}"
}

__ph_tell() {
    emulate -L zsh
    [[ $1 == "$__ph_name":* ]] || return 0
    __ph_foresee
    local line=${1##*:}
    (( line != __ph_line )) || return 0
    __ph_line=line
    __ph_mark line "\"line\":$line"
}

__ph_mark() {
    syswrite -o $__ph_out -- $'\e_'"$__ph_nonce;{\"t\":\"$1\",\"run\":\"$__ph_run\",$2}"$'\e\\' \
        2>/dev/null
    return 0
}

# What the next command will take from us.
__ph_foresee() {
    (( ZSH_SUBSHELL == 0 )) || return 0
    case $ZSH_DEBUG_CMD in
        exec\ *) __ph_save ;;
        trap\ *ERR*|TRAPZERR*) __ph_err=1 ;;
        set\ *x*|setopt\ *xtrace*) # else the trace of the block would show our own commands
            unsetopt localtraps
            trap - DEBUG
            ;;
    esac
}

# Ask in the timeline where a line comes from the person.
read() { [[ ! /dev/fd/0 -ef $__ph_input ]] || __ph_ask "$@"; builtin read "$@"; }

__ph_ask() {
    emulate -L zsh
    local OPTIND=1 OPTARG option prompt= secret=false
    while getopts :cd:eEk:lnpqrsAt:u:z option; do
        case $option in
            s) secret=true ;;
            c|l|p|z) return ;;
            u) [[ $OPTARG == 0 ]] || return ;;
        esac
    done
    ! zselect -t 0 -r 0 2>/dev/null || return # the answer to an earlier question had more lines
    [[ $argv[OPTIND] == *\?* ]] && prompt=${argv[OPTIND]#*\?}
    prompt=${prompt[1,500]}
    prompt=${${prompt//\\/\\\\}//\"/\\\"}
    prompt=${prompt//[[:cntrl:]]/ }
    (( ++__ph_questions ))
    __ph_mark input "\"id\":\"$__ph_run-$sysparams[pid]-$__ph_questions\",\"prompt\":\"$prompt\",\"secret\":$secret"
}

# --- Stop -------------------------------------------------------------------------------------

# A status other than 0 undoes all that runs, as far as to the `always` behind the block.
TRAPINT() { __ph_stopped=interrupted; return 130; }
TRAPVTALRM() { __ph_stopped=interrupted; exit 130; }

# --- Names that outlive the shell ---------------------------------------------------------------

typeset -ga zshexit_functions=(__ph_bye)

__ph_bye() { __ph_code=$?; trap - DEBUG; __ph_save; }

# ERR_EXIT ends the shell without asking those.
TRAPZERR() { __ph_code=$?; [[ ! -o errexit ]] || __ph_save; }

__ph_save() {
    [[ -n $__ph_names && $ZSH_SUBSHELL -eq 0 ]] || return 0
    local -a __ph_on=(${(k)options[(R)on]}) __ph_off=(${(k)options[(R)off]})
    emulate -L zsh
    local fixed='(interactive|monitor|shinstdin|login|privileged|restricted|singlecommand|zle|exec)'
    {
        __ph_save_functions
        alias -L
        __ph_save_variables
        print -r -- "umask $(umask)"
        print -r -- "builtin cd -q -- ${(q)PWD}"
        print -r -- "OLDPWD=${(q)OLDPWD}"
        print -r -- "__ph_code=$__ph_code"
        __ph_save_traps
        print -r -- "unsetopt ${__ph_off:#${~fixed}}"
        print -r -- "setopt ${__ph_on:#${~fixed}}"
    } >|$__ph_names 2>/dev/null
    return 0
}

__ph_save_functions() {
    local name
    for name in ${(k)functions}; do
        [[ $name == __ph_* || $functions[$name] == *__ph_* ]] || functions -- $name
    done
}

__ph_save_variables() {
    local name
    for name in ${(k)parameters}; do
        case $name:$parameters[$name] in
            __ph_*|zshexit_functions:*|*-local*) ;;
            PATH:*|CDPATH:*|FPATH:*|IFS:*|HOME:*|LANG:*|LC_*:*) typeset -p $name ;;
            *special*) ;;
            *) typeset -p $name ;;
        esac
    done
}

# Those that are functions have been saved as such.
__ph_save_traps() {
    local kind
    for kind in INT VTALRM ZERR; do
        [[ ${functions[TRAP$kind]} != *__ph_* ]] || unset "functions[TRAP$kind]"
    done
    trap
}

# --- Between the blocks -------------------------------------------------------------------------

__ph_decode() { : ${(P)1::=${(g::)${(P)1}//\%/\\x}}; }

__ph_next() {
    emulate -L zsh
    unsetopt localtraps
    IFS=$'\t' builtin read -r -u $__ph_jobs \
        __ph_run __ph_block __ph_lines __ph_input __ph_folder || return
    local name
    for name in __ph_run __ph_block __ph_input __ph_folder; do __ph_decode $name; done
    exec <$__ph_input 1>&$__ph_out 2>&$__ph_out
    [[ -z $__ph_folder ]] || builtin cd -q -- $__ph_folder
    __ph_pwd=$PWD __ph_old_pwd=$OLDPWD __ph_stopped=
    __ph_line=0 __ph_count=0 __ph_bits=0 __ph_seen=()
    __ph_name=${__ph_block:t}
    builtin cd -q -- ${__ph_block:h}
    print -u $__ph_replies began
    trap >|$__ph_spool/trap # of a subshell there would be none
    [[ $(<$__ph_spool/trap) == *(\ INT|TRAPINT)* ]] ||
        TRAPINT() { __ph_stopped=interrupted; return 130; }
    TRAPVTALRM() { __ph_stopped=interrupted; exit 130; }
}

# What would watch or end us between two blocks; the next one gets it back, but for the trace, which
# no function can switch on for its caller.
__ph_put_off() {
    local option
    __ph_flags=()
    for option in verbose errexit errreturn; do
        [[ $options[$option] == off ]] || __ph_flags+=($option)
    done
    unsetopt verbose errexit errreturn
    trap - DEBUG
}

__ph_leave() {
    emulate -L zsh
    exec 1>&$__ph_out 2>&$__ph_out
    [[ ! -s $__ph_names ]] || : >|$__ph_names # of an `exec` that was none
    [[ -z $__ph_stopped ]] || __ph_code=130
    print -u $__ph_replies -- "end\t${__ph_stopped:-finished}\t$__ph_code\t"
}

if [[ -s $__ph_names ]]; then
    source $__ph_names 2>/dev/null
    { unsetopt xtrace; __ph_put_off; } 2>/dev/null
    : >|$__ph_names
fi
print -u $__ph_replies "ready\t$ZSH_VERSION"

while __ph_next; do
    {
        source "$__ph_name"
    } always {
        { __ph_code=$?; unsetopt xtrace; __ph_put_off; } >/dev/null 2>&1
        TRY_BLOCK_ERROR=0 TRY_BLOCK_INTERRUPT=0
    }
    __ph_leave
done
__ph_names=
