# Completes kubectl-cronjob_doctor in bash. The program itself says what may come next.

_kubectl_cronjob_doctor() {
    local line=${COMP_LINE:0:COMP_POINT} candidate
    local -a words
    # Not COMP_WORDS, in which --output=json is three words.
    read -ra words <<< "$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    COMPREPLY=()
    while IFS= read -r candidate; do
        case $candidate in
            :0) compopt -o default 2> /dev/null ;;
            :*) ;;
            *) COMPREPLY+=("${candidate%%$'\t'*}") ;;
        esac
    done < <("$1" __complete "${words[@]:1}" 2> /dev/null)
}

complete -F _kubectl_cronjob_doctor kubectl-cronjob_doctor
