//! `completion`: a script for a shell, or for kubectl.
//!
//! The scripts ask the program itself at each press of the tab key, so that they know the cluster's
//! names, too; they stand in completions/, where they are shipped from. PowerShell and elvish get one
//! that knows verbs and flags alone, of which completions/ has a copy.

use std::io::Write as _;

use anyhow::Context as _;
use clap_complete::generate;
use clap_complete::shells::{Elvish, PowerShell};

use super::Outcome;
use super::args::command;
use clap::ValueEnum;

/// Print a script that completes commands in a shell, or through kubectl
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  # kubectl cronjob-doctor <tab>, with the names of CronJobs, in every shell that completes kubectl
  kubectl cronjob-doctor completion kubectl > ~/.local/bin/kubectl_complete-cronjob_doctor
  chmod +x ~/.local/bin/kubectl_complete-cronjob_doctor

  # kubectl-cronjob_doctor <tab>, in bash
  source <(kubectl cronjob-doctor completion bash)")]
pub(super) struct CompletionArgs {
    /// bash, zsh, fish, powershell, elvish; or kubectl, which also completes names of the cluster
    #[arg(value_enum, value_name = "SHELL", hide_possible_values = true)]
    shell: Shell,
}

/// For whom a script is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Shell {
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

pub(super) fn run(args: &CompletionArgs) -> anyhow::Result<Outcome> {
    let mut out = std::io::stdout().lock();
    out.write_all(&script(args.shell))
        .context("cannot write the script")?;
    Ok(Outcome::Fine)
}

fn script(shell: Shell) -> Vec<u8> {
    const PROGRAM: &str = "kubectl-cronjob_doctor";
    let mut script = Vec::new();
    match shell {
        Shell::Bash => script.extend(include_bytes!(
            "../../completions/kubectl-cronjob_doctor.bash"
        )),
        Shell::Zsh => script.extend(include_bytes!("../../completions/_kubectl-cronjob_doctor")),
        Shell::Fish => script.extend(include_bytes!(
            "../../completions/kubectl-cronjob_doctor.fish"
        )),
        Shell::Kubectl => script.extend(include_bytes!(
            "../../completions/kubectl_complete-cronjob_doctor"
        )),
        Shell::Powershell => generate(PowerShell, &mut command(), PROGRAM, &mut script),
        Shell::Elvish => generate(Elvish, &mut command(), PROGRAM, &mut script),
    }
    script
}
