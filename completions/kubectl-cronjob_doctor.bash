# Completes kubectl-cronjob_doctor in bash. The program itself says what may come next.

_kubectl_cronjob_doctor() {
    local line=${COMP_LINE:0:COMP_POINT} typed='' word='' quote='' escaped='' c i candidate reply kept=''
    local -a words=()
    # Not COMP_WORDS, in which --output=json is three words. Nothing of the line is executed.
    for ((i = 0; i < ${#line}; i++)); do
        c=${line:i:1}
        if [[ $escaped ]]; then
            word+=$c escaped=''
        elif [[ $c == \\ && $quote != \' ]]; then
            escaped=1
        elif [[ $quote ]]; then
            if [[ $c == "$quote" ]]; then quote=''; else word+=$c; fi
        elif [[ $c == [\'\"] ]]; then
            quote=$c
        elif [[ $c == [[:space:]] ]]; then
            [[ $typed ]] && words+=("$word")
            typed='' word='' kept=''
            continue
        else
            word+=$c
            # Readline replaces only what follows a character that ends a word for it; @ belongs to what follows.
            [[ $COMP_WORDBREAKS == *"$c"* ]] && kept=$typed${c/@/}
        fi
        typed+=$c
    done
    words+=("$word")
    [[ $kept == --*=* ]] && kept=${kept#--*=}
    COMPREPLY=()
    while IFS= read -r candidate; do
        case $candidate in
            :0) compopt -o default 2> /dev/null; continue ;;
            :*) continue ;;
        esac
        candidate=${candidate%%$'\t'*}
        case $quote in
            '')
                printf -v reply %q "$candidate"
                reply=${reply#"$kept"}
                ;;
            \')
                [[ $candidate == *\'* ]] && continue
                reply=$candidate
                ;;
            *)
                [[ $candidate == *[\"\`\$\\!]* ]] && continue
                reply=$candidate
                ;;
        esac
        COMPREPLY+=("$reply")
    done < <("$1" __candidates "${words[@]:1}" 2> /dev/null)
}

complete -F _kubectl_cronjob_doctor kubectl-cronjob_doctor
