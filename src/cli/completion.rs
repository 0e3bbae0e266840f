//! `completion`: a script for a shell, or for kubectl.
//!
//! The scripts ask the program itself at each press of the tab key, so that they know the cluster's
//! names, too. PowerShell and elvish get one that knows verbs and flags alone.

use std::io::Write as _;

use clap_complete::generate;
use clap_complete::shells::{Elvish, PowerShell};

use super::Outcome;
use super::args::{Completion as Args, Shell, command};

pub(super) fn run(args: &Args) -> anyhow::Result<Outcome> {
    std::io::stdout().lock().write_all(&script(args.shell))?;
    Ok(Outcome::Fine)
}

fn script(shell: Shell) -> Vec<u8> {
    const PROGRAM: &str = "kubectl-cronjob_doctor";
    let mut script = Vec::new();
    match shell {
        Shell::Bash => script.extend(include_bytes!("completion/script.bash")),
        Shell::Zsh => script.extend(include_bytes!("completion/script.zsh")),
        Shell::Fish => script.extend(include_bytes!("completion/script.fish")),
        Shell::Kubectl => script.extend(include_bytes!("completion/script.sh")),
        Shell::Powershell => generate(PowerShell, &mut command(), PROGRAM, &mut script),
        Shell::Elvish => generate(Elvish, &mut command(), PROGRAM, &mut script),
    }
    script
}
