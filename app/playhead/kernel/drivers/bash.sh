# Runs blocks in one Bash, from 3.2 on; child.py says how it is spoken to.
#
# Descriptors: 90 jobs, 91 replies, 92 output for marks, 93 the trace of a block with a hot loop.
# Bash hands on what it has open, so 90 and 91 are closed while a block runs.

eval "exec 90<&$1 91>&$2 $1<&- $2>&-"
exec 92>&1
__ph_nonce=$3 __ph_spool=$PLAYHEAD_SPOOL
unset PLAYHEAD_SPOOL BASH_ENV
__ph_mark_start=$'\e_'"$__ph_nonce;"
__ph_mark_end=$'\e\\'
__ph_hot_from=300
__ph_depth=${#BASH_SOURCE[@]}
__ph_run='' __ph_name='' __ph_lines='' __ph_input='' __ph_block='' __ph_folder=''
__ph_line=0 __ph_count=0 __ph_code=0 __ph_command='' __ph_pwd='' __ph_old_pwd='' __ph_flags=''
__ph_running='' __ph_stopped='' __ph_hot='' __ph_ps4='' __ph_has_trap='' __ph_err=''
__ph_names=$__ph_spool/names
BASH_ARGV0=bash
set --
shopt -s expand_aliases

# --- In the block -----------------------------------------------------------------------------

# The first word of every block's file: the block is opened from its folder by its bare name, so
# that messages show no path, and runs where the one before has stopped.
__ph_begin() {
    builtin cd -- "$__ph_pwd" 2>/dev/null || {
        builtin printf 'The folder %s is not there any more: this runs in /.\n' "$__ph_pwd" >&2
        builtin cd /
    }
    OLDPWD=$__ph_old_pwd
    __ph_running=1
    case $__ph_flags in *u*) set -u ;; esac
    case $__ph_flags in *v*) set -v ;; esac
    if [[ $__ph_lines == 1 && $__ph_flags != *x* ]]; then
        set -T
        trap '__ph_at "$_"' DEBUG
    fi
    case $__ph_flags in *e*) set -e ;; esac
    if [[ $__ph_flags == *x* ]]; then
        set -x # the last of all, else it would show the rest of this
    elif [[ $__ph_flags != *e* && -z $__ph_err ]]; then
        return "$__ph_code" # an ERR trap would take it for a failure of this block
    fi
}

# Before each command: `$_` is handed through by being our last argument.
__ph_at() {
    [[ ${BASH_SOURCE[1]-} == "$__ph_name" ]] || return 0
    [[ -z $__ph_has_trap ]] || __ph_wrap_exit_trap
    # In a trap the first line is the trap's, and the command is the one that it came between.
    if [[ ${BASH_LINENO[0]} == 1 && $BASH_COMMAND == "$__ph_command" ]]; then return 0; fi
    __ph_command=$BASH_COMMAND
    case $BASH_COMMAND in exec\ *|trap\ *|set\ *) __ph_foresee ;; esac
    if ((BASH_LINENO[0] != __ph_line)); then
        __ph_line=${BASH_LINENO[0]}
        __ph_mark line "\"line\":$__ph_line"
    fi
    ((++__ph_count <= __ph_hot_from)) || __ph_heat
    return 0
}

__ph_mark() {
    builtin printf '%s{"t":"%s","run":"%s",%s}%s' \
        "$__ph_mark_start" "$1" "$__ph_run" "$2" "$__ph_mark_end" >&92 2>/dev/null || :
}

# What the next command will take from us.
__ph_foresee() {
    ((BASH_SUBSHELL == 0)) || return 0
    case $BASH_COMMAND in
        exec\ *) __ph_save ;;
        trap\ *RETURN*) __ph_disarm; set +T ;;
        trap\ *ERR*) __ph_err=1 ;;
        trap\ *) __ph_has_trap=1 ;;
        set\ *x*) __ph_disarm ;; # else the trace of the block would show our own commands
    esac
}

__ph_disarm() {
    __ph_lines=0
    trap - DEBUG
}

# The trap for each command costs more than a short command: in a loop Bash tells its lines by a
# trace that the host reads now and then.
__ph_heat() {
    trap - DEBUG
    ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 401)) || return 0
    __ph_hot=1 __ph_ps4=$PS4
    PS4=$'\x1e$BASH_SOURCE:$LINENO\x1f'
    exec 93>"$__ph_spool/trace"
    BASH_XTRACEFD=93
    set -x
}

__ph_cool() {
    set +x
    [[ -n $__ph_hot ]] || return 0
    unset BASH_XTRACEFD
    PS4=$__ph_ps4 __ph_hot=''
}

# Ask in the timeline where a line comes from the person.
read() { [[ /dev/fd/0 -ef $__ph_input ]] && __ph_ask "$@"; builtin read "$@"; }

__ph_ask() {
    local OPTIND=1 OPTARG option prompt='' secret=false
    while getopts :a:d:ei:n:N:p:rst:u: option; do
        case $option in
            p) prompt=$OPTARG ;;
            s) secret=true ;;
            u) [[ $OPTARG == 0 ]] || return 0 ;;
            t) [[ $OPTARG != 0 ]] || return 0 ;;
        esac
    done
    ! builtin read -t 0 2>/dev/null || return 0 # the answer to an earlier question had more lines
    prompt=${prompt:0:500}
    prompt=${prompt//\\/\\\\}
    prompt=${prompt//\"/\\\"}
    prompt=${prompt//[[:cntrl:]]/ }
    ((++__ph_count))
    __ph_mark input "\"id\":\"$__ph_run-${BASHPID:-$$}-$__ph_count\",\"prompt\":\"$prompt\",\"secret\":$secret"
}

# --- Stop -------------------------------------------------------------------------------------

# Each command from now on is a `return`, as deep as the block may be in functions and loops.
__ph_stop() {
    [[ -n $__ph_running ]] || return 0
    [[ -n $__ph_stopped ]] || __ph_flags=$-
    __ph_stopped=interrupted
    exec </dev/null # `read` goes on reading after a trap
    shopt -s extdebug
    set -T
    trap __ph_unwind DEBUG
}

__ph_unwind() {
    case $BASH_COMMAND in __ph_bye*|'trap - DEBUG') return 0 ;; esac
    ((${#BASH_SOURCE[@]} <= __ph_depth + 1)) || return 2
    return 0
}

# --- Names that outlive the shell ---------------------------------------------------------------

__ph_bye() {
    trap - DEBUG
    { __ph_cool; } 2>/dev/null
    __ph_save "$1"
    return "$1"
}

# A subshell would tell of its own traps.
__ph_tell_trap() {
    trap -p "$1" >|"$__ph_spool/trap"
    IFS= builtin read -r -d '' __ph_text <"$__ph_spool/trap" || :
}

__ph_wrap_exit_trap() {
    __ph_has_trap=''
    __ph_tell_trap EXIT
    [[ $__ph_text != *__ph_bye* ]] || return 0
    eval "set -- $__ph_text"
    trap '__ph_bye "$?" && :'"${3:+
$3}" EXIT
}

__ph_save() {
    [[ -n $__ph_names && $BASH_SUBSHELL -eq 0 ]] || return 0
    {
        shopt -p
        __ph_save_functions
        alias -p
        __ph_save_variables
        builtin printf 'umask %s\nbuiltin cd -- %q\nOLDPWD=%q\n' "$(umask)" "$PWD" "${OLDPWD-}"
        trap -p ERR RETURN HUP QUIT TERM USR1 USR2 PIPE
        __ph_tell_trap INT
        [[ $__ph_text == *__ph_stop* ]] || builtin printf '%s\n' "$__ph_text"
        builtin printf '__ph_code=%d\n__ph_set_options() {\n' "${1-0}"
        set +o
        builtin printf '}\n'
    } >|"$__ph_names" 2>/dev/null || :
}

__ph_save_functions() {
    while IFS=' ' builtin read -r _ __ph_text __ph_item; do
        [[ $__ph_item == __ph_* ]] && continue
        [[ $__ph_item == read && $(declare -f read) == *__ph_ask* ]] && continue
        declare -f "$__ph_item"
        [[ $__ph_text == -f ]] || builtin printf 'declare %s %s\n' "$__ph_text" "$__ph_item"
    done < <(declare -F)
}

__ph_save_variables() {
    while IFS= builtin read -r __ph_item; do
        case $__ph_item in
            __ph_*|BASH|BASH_*|BASHOPTS|BASHPID|SHELLOPTS|SHLVL|EUID|UID|PPID|GROUPS|DIRSTACK) ;;
            FUNCNAME|LINENO|PIPESTATUS|RANDOM|SRANDOM|EPOCH*|SECONDS|COMP_*|PWD|OLDPWD|_) ;;
            *) declare -p "$__ph_item" ;;
        esac
    done < <(compgen -A variable)
}

# --- Between the blocks -------------------------------------------------------------------------

__ph_decode() { builtin printf -v "$1" %b "${!1//%/\\x}"; }

__ph_enter() {
    [[ -z $__ph_stopped ]] || jobs >/dev/null # of the killed no word in the next block
    exec <"$__ph_input" >&92 2>&92
    [[ -z $__ph_folder ]] || builtin cd -- "$__ph_folder"
    __ph_pwd=$PWD __ph_old_pwd=${OLDPWD-}
    __ph_line=0 __ph_count=0 __ph_stopped='' __ph_command=''
    __ph_name=${__ph_block##*/}
    builtin cd -- "${__ph_block%/*}"
    builtin printf 'began\n' >&91
    __ph_tell_trap INT
    [[ -n $__ph_text ]] || trap __ph_stop INT
    trap 'trap - DEBUG; exit 130' VTALRM
}

__ph_leave() {
    exec >&92 2>&92
    __ph_cool
    if [[ -n $__ph_stopped ]]; then
        shopt -u extdebug
        __ph_code=130
        exec 2>/dev/null
    fi
    set +T
    # Where each command was watched, so were its traps.
    if [[ -n $__ph_has_trap || $__ph_count -gt $__ph_hot_from || $__ph_lines == 0 ]]; then
        __ph_wrap_exit_trap
    fi
    [[ ! -s $__ph_names ]] || : >|"$__ph_names" # of an `exec` that was none
    builtin printf 'end\t%s\t%d\t\n' "${__ph_stopped:-finished}" "$__ph_code" >&91
}

trap '__ph_bye "$?" && :' EXIT # so that no `set -e` ends it there
if [[ -s $__ph_names ]]; then
    source "$__ph_names" 2>/dev/null
    __ph_set_options 2>/dev/null
    { __ph_flags=$-; set +euvxT; } 2>/dev/null
    : >|"$__ph_names"
fi
builtin printf 'ready\t%s\n' "$BASH_VERSION" >&91

while IFS=$'\t' builtin read -r -u 90 __ph_run __ph_block __ph_lines __ph_input \
    __ph_folder; do
    for __ph_item in __ph_run __ph_block __ph_input __ph_folder; do __ph_decode "$__ph_item"; done
    __ph_enter
    source "$__ph_name" 90<&- 91>&-
    {
        __ph_code=$? __ph_running=''
        [[ -n $__ph_stopped ]] || __ph_flags=$-
        [[ -z $__ph_hot ]] || __ph_flags=${__ph_flags//x/}
        set +euvx
        trap - DEBUG # the user's own, too: it would watch us
    } >/dev/null 2>&1
    __ph_leave
done
__ph_names=''
