//! The arguments of `completion`.

use clap::{Args, ValueEnum};

/// Print a script that completes commands in a shell, or through kubectl
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  # kubectl cronjob-doctor <tab>, with the names of CronJobs, in every shell that completes kubectl
  kubectl cronjob-doctor completion kubectl > ~/.local/bin/kubectl_complete-cronjob_doctor
  chmod +x ~/.local/bin/kubectl_complete-cronjob_doctor

  # kubectl-cronjob_doctor <tab>, in bash
  source <(kubectl cronjob-doctor completion bash)")]
pub(in crate::cli) struct Completion {
    /// bash, zsh, fish, powershell, elvish; or kubectl, which also completes names of the cluster
    #[arg(value_enum, value_name = "SHELL", hide_possible_values = true)]
    pub(in crate::cli) shell: Shell,
}

/// For whom a script is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Shell {
    /// source <(kubectl cronjob-doctor completion bash)
    Bash,
    /// Into a folder of $fpath, as _kubectl-cronjob_doctor
    Zsh,
    /// Into ~/.config/fish/completions, as kubectl-cronjob_doctor.fish
    Fish,
    /// kubectl cronjob-doctor completion powershell | Out-String | Invoke-Expression
    Powershell,
    /// eval (kubectl cronjob-doctor completion elvish | slurp)
    Elvish,
    /// Into a folder of $PATH, as kubectl_complete-cronjob_doctor, and executable
    Kubectl,
}
