#!/bin/sh
# Lets kubectl complete `kubectl cronjob-doctor`. It belongs into a folder of $PATH, by the name
# kubectl_complete-cronjob_doctor, and must be executable.
exec kubectl-cronjob_doctor __complete "$@"
