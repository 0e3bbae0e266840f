//! `top`: a dashboard that follows the cluster.

mod ability;
mod clock;
mod explaining;
mod input;
mod message;
mod signals;
mod stage;
mod talking;
pub(super) mod terminal;

use anyhow::bail;
use tokio::sync::mpsc::unbounded_channel;

use super::Outcome;
use super::args::{BasisArgs, Common, Connection, Selection};
use super::scan::SortBy;
use super::stdio::Capture;
use crate::cluster::Access;
use crate::evidence::Needs;
use crate::survey::LiveSurvey;
use crate::top::{About, App};
use message::Message;
use stage::Stage;
use terminal::Terminal;

/// Watch CronJobs on a dashboard: what runs next, what is wrong, and why
///
/// Keys are those of k9s: ? shows them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Suspending, resuming and triggering say first what they lead to, and ask, as the verbs of these names do.

Examples:
  # The CronJobs of the namespace
  kubectl cronjob-doctor top -n shop

  # The whole cluster, for a screen on the wall
  kubectl cronjob-doctor top -A --read-only")]
pub(super) struct TopArgs {
    #[command(flatten)]
    selection: Selection,
    /// Order at the beginning: health, name, next, last, missed or active
    #[arg(long, value_enum, value_name = "COLUMN", default_value_t = SortBy::Health, hide_possible_values = true, help_heading = "Output")]
    sort: SortBy,
    /// Refuse to change anything
    #[arg(long, help_heading = "Change")]
    read_only: bool,
    #[command(flatten)]
    basis: BasisArgs,
}

pub(super) fn run(common: &Common, args: &TopArgs) -> anyhow::Result<Outcome> {
    if !args.selection.filename.is_empty() {
        bail!("top follows a cluster, and files do not change: scan -f shows them");
    }
    if args.basis.now.is_some() {
        bail!(
            "top follows the server's clock, so that --now cannot be given: scan --now shows a moment"
        );
    }
    let look = ability::look()?;
    let basis = common.basis(&args.basis)?;
    let (live, world) = common.load_live(basis, &args.selection, Needs::JOBS)?;
    let (basis, coverage) = (world.basis.clone(), world.coverage);
    let about = About {
        cluster: cluster(&common.connection, live.session.server()),
        namespace: live.wanted.namespace.clone(),
        release: format!("Kubernetes {}", basis.controller().release),
        read_only: args.read_only,
    };
    let notes = world.lacks.iter();
    let notes = notes.map(|lack| format!("without {}: {}", lack.what.as_str(), lack.reason));
    let notes: Vec<String> = notes.collect();
    let board = LiveSurvey::new(world.into_dossiers());
    let (sender, messages) = unbounded_channel();
    let ear = sender.clone();
    let listening = Capture::begin(move |text| {
        // If the dashboard is gone there is no one to tell.
        let _ = ear.send(Message::Said(text.to_owned()));
    });
    let terminal = Terminal::enter()?;
    let mut app = App::new(about, board, coverage, terminal.size()?);
    if app.list().order().0 != args.sort.into() {
        app.sort_by(args.sort.into());
    }
    for note in notes {
        app.note(note);
    }
    signals::listen(&sender)?;
    input::listen(&sender);
    let stage = Stage {
        basis,
        live,
        common: common.clone(),
        terminal,
        look,
        app,
        sender,
    };
    let outcome = stage.run(messages);
    terminal::restore();
    drop(listening);
    outcome
}

/// The cluster in a word: its context, or else where it is.
fn cluster(connection: &Connection, server: &str) -> String {
    let context = Access::from(connection).context();
    context.unwrap_or_else(|| {
        let host = server.split_once("://").map_or(server, |(_, host)| host);
        host.to_owned()
    })
}
