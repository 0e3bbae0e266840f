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
use super::args::{Connection, Global, Top as Args};
use super::gather::gather_live;
use super::gathered::Needs;
use super::settings::Settings;
use super::voice::Listening;
use crate::cluster::Access;
use crate::survey::LiveSurvey;
use crate::top::{About, App};
use message::Message;
use stage::Stage;
use terminal::Terminal;

pub(super) fn run(
    global: &Global,
    connection: &Connection,
    args: &Args,
) -> anyhow::Result<Outcome> {
    if !args.selection.filename.is_empty() {
        bail!("top follows a cluster, and files do not change: scan -f shows them");
    }
    if args.what_if.now.is_some() {
        bail!(
            "top follows the server's clock, so that --now cannot be given: scan --now shows a moment"
        );
    }
    let look = ability::look()?;
    let mut settings = Settings::new(global, connection, &args.what_if)?;
    let needs = Needs::JOBS;
    let (live, found) = gather_live(&mut settings, global, connection, &args.selection, needs)?;
    let about = About {
        cluster: cluster(connection, live.session.server()),
        namespace: live.wanted.namespace.clone(),
        release: format!(
            "Kubernetes {}",
            settings.controller_document().kubernetes_version
        ),
        read_only: args.read_only,
    };
    let board = LiveSurvey::new(found.chosen.into_iter().map(|chosen| chosen.evidence));
    let (sender, messages) = unbounded_channel();
    let ear = sender.clone();
    let listening = Listening::begin(move |text| {
        // If the dashboard is gone there is no one to tell.
        let _ = ear.send(Message::Said(text.to_owned()));
    });
    let terminal = Terminal::enter()?;
    let mut app = App::new(about, board, found.coverage, terminal.size()?);
    if app.list().order().0 != args.sort.into() {
        app.sort_by(args.sort.into());
    }
    for lack in &found.lacks {
        app.note(format!("without {}: {}", lack.what.as_str(), lack.reason));
    }
    signals::listen(&sender)?;
    input::listen(&sender);
    let stage = Stage {
        settings,
        live,
        global: global.clone(),
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
