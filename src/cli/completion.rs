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
use super::args::{Completion as Args, Shell, command};

pub(super) fn run(args: &Args) -> anyhow::Result<Outcome> {
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
