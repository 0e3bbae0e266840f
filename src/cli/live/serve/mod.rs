//! `serve`: the metrics of `scan` and the HTML report over HTTP, kept up to date by watches.
//!
//! The main thread follows the cluster (`exporter.rs`). A second thread answers HTTP requests (`http.rs`), and asks the
//! first one for metrics and for the evidence of a report (`page.rs`).

mod exporter;
mod history;
mod http;
mod page;
mod recording;
mod response;
mod run_counts;
mod status;

use std::sync::Arc;

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use crate::cli::args::{BasisArgs, Common, Selection, positive_seconds};
use crate::cli::diagnostic::Diagnostic;
use crate::cli::interrupt::SIGNALS;
use crate::cli::live::busy::Busy;
use crate::cli::live::unwatched::Unwatched;
use crate::cli::live::{NOT_LIVE, follow_cluster_only};
use crate::cli::verb::{Group, Verb, VerbSpec};
use crate::cli::{CommandOutcome, hint};
use crate::evidence::{Basis, Live, Needs};
use crate::recorder::StoreLocation;
use exporter::Exporter;
use history::RecordedHistory;
use http::{Answers, Hosts, Listening};
use kube_access::{ClusterError, Session};
use kube_objects::query::PodSelection;
use page::ReportInput;
use recording::Recording;
use response::Document;
use run_counts::RunCounts;
use status::ExporterStatus;

/// Serve metrics and a report over HTTP, kept up to date
///
/// Follows the CronJobs of a cluster and serves their health: /metrics for Prometheus, the same as scan -o prometheus;
/// / for browsers, the HTML report; /healthz and /readyz for probes. It changes nothing. There is neither TLS nor
/// authentication: everyone who reaches the address sees what the user of the kubeconfig or the service account may read.
#[derive(Debug, clap::Args)]
#[command(before_long_help = "\
Examples:
  # Serve the health of the CronJobs in all namespaces to this machine
  kubectl cronjob-doctor serve -A

  # Listen on all addresses, as in a pod
  kubectl cronjob-doctor serve -A --listen :8080")]
pub(super) struct ServeArgs {
    /// Listen on this address, such as :8080 for all addresses
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8080",
        long_help = "\
Listen on this host and port, such as :8080 for all addresses of the machine. Port 0 chooses a free one."
    )]
    listen: String,
    /// Store what happened to each run in this SQLite file or PostgreSQL database; - to print it
    #[arg(
        long,
        value_name = "FILE|URL",
        long_help = "\
Store what happened to each run in this SQLite file or PostgreSQL database, before Kubernetes deletes its Job. The file \
is created if it does not exist. A database, as postgres://USER@HOST:PORT/NAME, is for several replicas: one of them \
records. The password can be in PGPASSWORD, or in the \
file that PGPASSFILE names. --recorder reads what is stored. With - nothing is stored, and each run is a line of JSON on \
stdout."
    )]
    record: Option<String>,
    /// How long stored runs are kept
    #[arg(long, value_name = "DURATION", default_value = "90d", value_parser = positive_seconds, requires = "record")]
    keep: i64,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    basis: BasisArgs,
}

/// Something other than a change of the cluster.
enum Event {
    Metrics(oneshot::Sender<Arc<Document>>),
    /// A request for what a report is computed from.
    Report(oneshot::Sender<ReportInput>),
    /// The result of reading what is not watched.
    Unwatched(Box<Reading>),
}

type EventSender = UnboundedSender<Event>;

/// Asks the loop that follows the cluster.
async fn ask<T>(
    events: &EventSender,
    event: impl FnOnce(oneshot::Sender<T>) -> Event,
) -> Result<T, String> {
    let (reply, answer) = oneshot::channel();
    // It has ended otherwise.
    let is_sent = events.send(event(reply)).is_ok();
    let answer = if is_sent { answer.await.ok() } else { None };
    answer.ok_or_else(|| "the server is shutting down".to_owned())
}

/// What is not watched, as it was read.
struct Reading {
    /// The version and the time of the API server, if they were read.
    basis: Option<Basis>,
    unwatched: Result<Unwatched, ClusterError>,
}

/// Whether the query of a request for stored runs is accepted.
pub fn check_history_query(query: &str) -> Result<(), String> {
    history::HistoryRequest::read(query).map(drop)
}

pub(crate) const SPEC: VerbSpec = VerbSpec {
    synonyms: &[("serve", &["metrics", "exporter", "prometheus"])],
    refused: NOT_LIVE,
    ..VerbSpec::of::<ServeArgs>("serve", Group::Plan)
};

impl Verb for ServeArgs {
    fn run(&self, common: &Common) -> anyhow::Result<CommandOutcome> {
        let instead = [
            "Use scan -f -o prometheus to write the metrics of files.",
            "Use scan --now -o prometheus to write the metrics of another time.",
        ];
        follow_cluster_only("serve", &self.selection, &self.basis, instead)?;
        let status = Arc::new(ExporterStatus::default());
        let location = self.record.as_deref().map(location).transpose()?;
        let record =
            |location: &StoreLocation| Recording::open(location.clone(), self.keep, &status);
        let recording = location.as_ref().map(record).transpose()?;
        let counts = recording.is_some().then(RunCounts::default);
        let stored = location.filter(|location| !matches!(location, StoreLocation::Stdout));
        let recorded = stored.map(|location| location.open().map(RecordedHistory::new));
        let listening = Listening::on(&self.listen).map_err(|error| {
            Diagnostic::new(format!("cannot listen on {}: {error}", self.listen))
                .help("Set another address with --listen.")
        })?;
        let (address, hosts) = (
            listening.address,
            Hosts::of(&self.listen, listening.address),
        );
        let (events, receiver) = unbounded_channel();
        let recorded = recorded.transpose()?;
        let answers = Answers::new(Arc::clone(&status), events.clone(), recorded, hosts);
        let server = listening.serve(answers, counts.clone())?;
        hint(&format!("Serving on http://{address}"));
        let (mut live, basis) = open(common, self)?;
        let busy = Busy::begin(&live.session);
        let world = common.read(&mut live, basis);
        if let Some(code) = busy.ended_by() {
            return Ok(outcome(code));
        }
        let world = common.conclude(world?, Some(&live), None);
        let exporter = Exporter::new(common, live, world, status, recording.zip(counts), events);
        exporter.run(receiver, &busy)?;
        // Responses that are complete are sent.
        drop(server);
        Ok(busy.ended_by().map_or(CommandOutcome::Fine, outcome))
    }
}

/// Where --record stores runs.
fn location(record: &str) -> anyhow::Result<StoreLocation> {
    let location = StoreLocation::read(record, std::env::var("PGPASSWORD").ok());
    location.map_err(|error| {
        let help = "A URL has the form postgres://USER@HOST:PORT/DATABASE?sslmode=verify-full.";
        let error = Diagnostic::new(format!("--record: {error}"));
        error.help(help).into()
    })
}

/// Connects. A signal ends the process from now on, also the first one of a container, which would ignore it.
fn open(common: &Common, args: &ServeArgs) -> anyhow::Result<(Live, Basis)> {
    let basis = common.basis(&args.basis)?;
    let query = common.query(&args.selection, Needs::pods(PodSelection::OfTroubled))?;
    let access = common.access();
    let connect = || {
        let session = Session::open(&access, &SIGNALS)?;
        session.listen_to_signals();
        Ok(session)
    };
    common.noting(|notes| Live::open(basis, connect, query, notes))
}

/// SIGTERM is how Kubernetes stops a pod.
fn outcome(code: u8) -> CommandOutcome {
    const TERMINATED: u8 = 143;
    match code {
        TERMINATED => CommandOutcome::Fine,
        code => CommandOutcome::Ended(code),
    }
}
