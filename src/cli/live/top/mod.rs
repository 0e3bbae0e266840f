//! `top`: a live dashboard.

mod change;
mod dashboard;
mod events;
mod explanation;
pub(crate) mod terminal;

use std::io::{self, IsTerminal as _};

use anstream::{AutoStream, ColorChoice};
use anyhow::bail;
use tokio::sync::mpsc::unbounded_channel;

use super::unwatched::{READ_EVERY, UnwatchedReader};
use super::{NOT_LIVE, follow_cluster_only};
use crate::cli::CommandOutcome;
use crate::cli::args::{BasisArgs, Common, Selection, cluster_name, one_of};
use crate::cli::diagnostic::Diagnostic;
use crate::cli::live::frontend::Capture;
use crate::cli::verb::{Group, Verb, VerbSpec};
use crate::evidence::Needs;
use crate::output::top::Capabilities;
use crate::top::{App, DashboardContext};
use cronjob_diagnosis::survey::{LiveSurvey, RowOrder};
use dashboard::Dashboard;
use events::DashboardEvent;
use explanation::ExplanationReader;
use kube_objects::query::PodSelection;
use terminal::Terminal;

/// Show a live dashboard of CronJobs
///
/// Shows what runs next, what is wrong, and why. The keys are those of k9s; press ? for a list. Suspend, resume and
/// trigger show the same plan as the commands of these names, and ask for confirmation.
#[derive(Debug, clap::Args)]
#[command(before_long_help = "\
Examples:
  # Show the CronJobs of a namespace
  kubectl cronjob-doctor top -n shop

  # Show the whole cluster on a wall display
  kubectl cronjob-doctor top -A --read-only")]
pub(super) struct TopArgs {
    /// Do not allow changes
    #[arg(long)]
    read_only: bool,
    /// Initial order: health, name, next, last, missed or active
    #[arg(long, value_parser = one_of::<RowOrder>(RowOrder::STRINGS), value_name = "COLUMN", default_value = RowOrder::Health.as_str())]
    sort: RowOrder,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    basis: BasisArgs,
}

pub(crate) const SPEC: VerbSpec = VerbSpec {
    refused: NOT_LIVE,
    ..VerbSpec::of::<TopArgs>("top", Group::Look)
};

impl Verb for TopArgs {
    fn run(&self, common: &Common) -> anyhow::Result<CommandOutcome> {
        let instead = [
            "Use scan -f to show CronJobs from files.",
            "Use scan --now to show the CronJobs at another time.",
        ];
        follow_cluster_only("top", &self.selection, &self.basis, instead)?;
        let capabilities = capabilities()?;
        let basis = common.basis(&self.basis)?;
        let (live, world) = common.load_live(
            basis,
            &self.selection,
            Needs::pods(PodSelection::OfTroubled),
        )?;
        let (basis, coverage) = (world.basis.clone(), world.coverage);
        let context = DashboardContext {
            cluster: cluster_name(&common.connection, live.session.server()),
            namespace: live.wanted.namespace.clone(),
            version: format!("Kubernetes {}", basis.controller.release),
            read_only: self.read_only,
            display: basis.controller.display.clone(),
        };
        let notes = world.lacks.iter();
        let notes =
            notes.map(|lack| format!("{} not read: {}", lack.what.as_str(), lack.short_reason()));
        let notes: Vec<String> = notes.collect();
        let survey = LiveSurvey::new(world.into_evidence());
        let (sender, receiver) = unbounded_channel();
        let stderr = sender.clone();
        let capture = Capture::begin(move |text| {
            // The dashboard may have ended.
            let _ = stderr.send(DashboardEvent::Stderr(text.to_owned()));
        });
        let terminal = Terminal::enter()?;
        let mut app = App::new(context, survey, coverage, terminal.size()?);
        if app.list.order().0 != self.sort {
            app.sort_by(self.sort);
        }
        for note in notes {
            app.show_note(note);
        }
        events::listen_to_signals(&sender)?;
        events::listen_to_keys(&sender);
        let dashboard = Dashboard {
            basis,
            live,
            common: common.clone(),
            terminal,
            capabilities,
            app,
            sender,
            explanation: ExplanationReader::default(),
            reader: UnwatchedReader::new(READ_EVERY),
            change: 0,
            reply: None,
        };
        let outcome = dashboard.run(receiver);
        terminal::restore();
        drop(capture);
        outcome
    }
}

/// The capabilities of the terminal; an error if it cannot show the dashboard.
fn capabilities() -> anyhow::Result<Capabilities> {
    let term = std::env::var("TERM").unwrap_or_default();
    let is_dumb = term == "dumb" || (term.is_empty() && cfg!(unix));
    if is_dumb || !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        bail!(
            Diagnostic::new("top needs an interactive terminal")
                .help("Use scan --watch to keep a table up to date without one.")
        );
    }
    Ok(Capabilities {
        colors: AutoStream::choice(&io::stdout()) != ColorChoice::Never,
        // The Linux console has few characters in any locale.
        ascii: term == "linux" || !has_utf8(),
    })
}

/// Whether the locale is UTF-8.
fn has_utf8() -> bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let mut values = names.iter().filter_map(|name| std::env::var(name).ok());
    let locale = values.find(|value| !value.is_empty());
    let locale = locale.unwrap_or_default().to_ascii_lowercase();
    cfg!(windows) || locale.contains("utf-8") || locale.contains("utf8")
}
