#compdef kubectl-cronjob_doctor
# Completes kubectl-cronjob_doctor in zsh. The program itself says what may come next.

_kubectl-cronjob_doctor() {
    local line
    local -a answer candidates
    answer=("${(@f)$("${words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2> /dev/null)}")
    [[ $PREFIX == --*=* ]] && compset -P 1 '*='
    for line in "${answer[@]}"; do
        case $line in
            :0) _files; return ;;
            '' | :*) ;;
            *)
                line=${line//:/\\:}
                candidates+=("${line/$'\t'/:}")
                ;;
        esac
    done
    (( $#candidates )) && _describe -V 'what may come next' candidates
}

if [[ $funcstack[1] == _kubectl-cronjob_doctor ]]; then
    _kubectl-cronjob_doctor "$@"
else
    compdef _kubectl-cronjob_doctor kubectl-cronjob_doctor
fi
