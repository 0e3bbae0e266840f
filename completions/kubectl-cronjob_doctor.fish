# Completes kubectl-cronjob_doctor in fish. The program itself says what may come next.

function __kubectl_cronjob_doctor
    set -l before (commandline --tokenize --current-process --cut-at-cursor)
    set -l begun (commandline --current-token --cut-at-cursor)
    # Of --output=js only the end is answered.
    set -l flag (string match --regex -- '^--[^=]*=' $begun)
    for line in ($before[1] __candidates $before[2..] "$begun" 2> /dev/null)
        switch $line
            case ':0'
                __fish_complete_path (string replace --regex -- '^--[^=]*=' '' "$begun")
            case ':*'
            case '*'
                printf '%s\n' "$flag$line"
        end
    end
end

complete --command kubectl-cronjob_doctor --no-files --arguments '(__kubectl_cronjob_doctor)'
