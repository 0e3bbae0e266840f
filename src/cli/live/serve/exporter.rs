//! Follows the cluster, and answers from what is known of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::sync::mpsc::UnboundedReceiver;

use super::page::ReportInput;
use super::recording::Recording;
use super::response::{ContentType, Document};
use super::run_counts::RunCounts;
use super::status::ExporterStatus;
use super::{Event, EventSender, Reading};
use crate::cli::args::Common;
use crate::cli::args::cluster_name;
use crate::cli::live::busy::Busy;
use crate::cli::live::live_survey::apply_change;
use crate::cli::live::unwatched::UnwatchedReader;
use crate::cli::live::watch::{Next, WatchLoop};
use crate::cli::{is_quiet, warn};
use crate::evidence::{Basis, Live, World};
use crate::output::report::EvidenceSource;
use crate::output::scan::served;
use crate::recorder::RecordingScope;
use cronjob_diagnosis::survey::{LiveSurvey, ScanSelection};
use cronjob_text::duration::whole_second;
use kube_access::{ClusterError, ServerClock, Update, Versions, WatchEvent, WatchedObjects};
use kube_model::{Coverage, CronJobEvidence, ResourceKind, UnreadResource};
use kube_objects::query::PodSelection;

/// How often to check what is due, such as a run to be recorded, while nothing comes.
const STEP: Duration = Duration::from_millis(200);
/// How often pods and quotas are read, which are not watched.
const READ_EVERY: Duration = Duration::from_secs(30);
/// How often the version and the time of the API server are read.
const VERSION_EVERY: Duration = Duration::from_secs(300);
/// How often it is judged whether the controller is down, even if no metrics are requested.
const JUDGE_EVERY: Duration = Duration::from_secs(10);
/// The shortest time between two computations of the metrics.
const METRICS_EVERY: Duration = Duration::from_secs(1);
/// After the credentials were rejected, the watches are opened again after this time.
const OPEN_AGAIN_AFTER: Duration = Duration::from_secs(30);

/// The metrics are rarely longer by more than this, in bytes.
const SLACK: usize = 65_536;

/// The name under which rejected credentials are reported.
const CREDENTIALS: &str = "credentials";

/// The state of a cluster that is followed.
pub(super) struct Exporter {
    live: Live,
    basis: Basis,
    coverage: Coverage,
    survey: LiveSurvey,
    /// What could not be read, apart from pods.
    lacks: Vec<UnreadResource>,
    /// Why pods could not be read.
    lack_of_pods: Vec<UnreadResource>,
    /// Since when watches are lost, by the API server's time. Nothing is known of later.
    lost_at: Option<Timestamp>,
    metrics: Option<(Instant, Arc<Document>)>,
    cluster: String,
    status: Arc<ExporterStatus>,
    recording: Option<Recording>,
    counts: Option<RunCounts>,
    events: EventSender,
    reader: UnwatchedReader,
    version_read_at: Instant,
    /// When it was judged for a record whether the controller is down.
    judged_at: Instant,
    /// Whether the API server's version and time are read next.
    reads_version: bool,
    warned_of_credentials: bool,
    /// When the watches are opened again, if the credentials were rejected.
    open_again_at: Option<Instant>,
}

impl Exporter {
    pub(super) fn new(
        common: &Common,
        mut live: Live,
        world: World,
        status: Arc<ExporterStatus>,
        recording: Option<(Recording, RunCounts)>,
        events: EventSender,
    ) -> Self {
        let (mut recording, counts) = recording.unzip();
        let is_of_pods = |lack: &UnreadResource| lack.what == ResourceKind::Pods;
        if let Some(recording) = &mut recording {
            // Those of Jobs that have just ended, too: they show where the time went, and the exit codes.
            live.wanted.pods = PodSelection::OfTroubledAndEnded;
            let wanted = &live.wanted;
            recording.scope = RecordingScope {
                namespace: wanted.namespace.clone(),
                names: wanted.names.clone(),
                is_selected: wanted.label_selector.is_some() || wanted.field_selector.is_some(),
            };
        }
        let (lack_of_pods, lacks) = world.lacks.iter().cloned().partition(is_of_pods);
        let (basis, coverage) = (world.basis.clone(), world.coverage);
        let mut survey = LiveSurvey::new(world.into_evidence());
        if recording.is_some() {
            survey.keep_unrecorded();
        }
        Exporter {
            cluster: cluster_name(&common.connection, live.session.server()),
            basis,
            coverage,
            survey,
            lacks,
            lack_of_pods,
            lost_at: None,
            metrics: None,
            live,
            status,
            recording,
            counts,
            events,
            reader: UnwatchedReader::new(READ_EVERY),
            version_read_at: Instant::now(),
            judged_at: Instant::now(),
            reads_version: false,
            warned_of_credentials: false,
            open_again_at: None,
        }
    }

    /// Follows the cluster until a signal comes.
    pub(super) fn run(
        mut self,
        events: UnboundedReceiver<Event>,
        busy: &Busy,
    ) -> anyhow::Result<()> {
        let session = Arc::clone(&self.live.session);
        let changes = session.changes(&self.live.wanted, &self.live.versions);
        // The first request does not wait for this.
        self.refresh();
        let mut watch = WatchLoop::new(changes, !is_quiet()).until(busy, None);
        watch.run_beside(Some(events), |changes, updates, events| {
            self.handle(updates, events);
            if self.open_again_at.is_some_and(|at| at <= Instant::now()) {
                self.open_again_at = None;
                // Other changes that came with the rejection are lost, so everything is listed again.
                *changes = session.changes(&self.live.wanted, &from_lists(&self.live.versions));
            }
            Ok(Next::Wait::<()>(STEP))
        })?;
        Ok(())
    }

    fn handle(&mut self, updates: Vec<Update>, events: Vec<Event>) {
        let now = Instant::now();
        self.status.step(now);
        let mut requests = Vec::new();
        for update in updates {
            match update.change() {
                Ok(Some(change)) => self.apply(change, now),
                Ok(None) => {}
                Err(error) => self.lose_credentials(&error, now),
            }
        }
        for event in events {
            match event {
                Event::Unwatched(reading) => self.store(*reading),
                request => requests.push(request),
            }
        }
        let now = self.live.clock.now();
        self.lost_at = self
            .status
            .is_lost()
            .then(|| *self.lost_at.get_or_insert(now));
        let is_lost = self.lost_at.is_some();
        self.judge_for_record(now);
        let mut is_clock_wrong = false;
        if let Some(recording) = &mut self.recording {
            let (survey, basis) = (&mut self.survey, &self.basis);
            let server = whole_second(now);
            is_clock_wrong = recording.step(survey, server, basis, self.coverage, is_lost);
        }
        if is_clock_wrong {
            self.read_version_next();
        }
        // Metrics have no place for what is gone.
        drop(self.survey.gone());
        for request in requests {
            // The client may be gone.
            match request {
                Event::Metrics(reply) => drop(reply.send(self.metrics()).ok()),
                Event::Report(reply) => drop(reply.send(self.report_input()).ok()),
                Event::Unwatched(_) => {}
            }
        }
        self.read_unwatched();
    }

    /// Judges now and then whether the controller is down, which is recorded as the cause of missed runs.
    fn judge_for_record(&mut self, now: Timestamp) {
        if self.recording.is_none() || self.judged_at.elapsed() < JUDGE_EVERY {
            return;
        }
        self.judged_at = Instant::now();
        let basis = self.basis.at(whole_second(now));
        self.live
            .judge_together(&mut self.survey, &basis, self.coverage);
    }

    /// The API server may be another one, or its clock was set.
    fn read_version_next(&mut self) {
        self.reads_version = true;
        self.reader.hasten();
    }

    fn lose_credentials(&mut self, error: &ClusterError, now: Instant) {
        if !std::mem::replace(&mut self.warned_of_credentials, true) {
            warn(error);
        }
        self.open_again_at.get_or_insert(now + OPEN_AGAIN_AFTER);
        self.status
            .lose(CREDENTIALS.to_owned(), error.to_string(), now);
    }

    fn apply(&mut self, change: WatchEvent, now: Instant) {
        match change {
            WatchEvent::Lost { what, why } => self.status.lose(what, why, now),
            WatchEvent::Back { what } => {
                self.status.regain(&what);
                self.read_version_next();
            }
            change => {
                // After rejected credentials, all watches are opened again from lists on.
                if let WatchEvent::All(objects) = &change {
                    self.status.regain(&self.resource(objects));
                    self.status.regain(CREDENTIALS);
                }
                apply_change(&mut self.survey, change);
            }
        }
    }

    fn resource(&self, objects: &WatchedObjects) -> String {
        match objects {
            WatchedObjects::CronJobs(_) => self.live.wanted.resource.qualified(),
            WatchedObjects::Jobs(_) => ResourceKind::Jobs.resource().to_owned(),
            WatchedObjects::Events(_) => ResourceKind::Events.resource().to_owned(),
            WatchedObjects::Pods(_) => ResourceKind::Pods.resource().to_owned(),
        }
    }

    /// Computes what is due. While a watch is lost, only what was known then.
    fn refresh(&mut self) {
        let now = self.lost_at.unwrap_or_else(|| self.live.clock.now());
        self.basis = self.basis.at(whole_second(now));
        self.coverage = self
            .live
            .judge_together(&mut self.survey, &self.basis, self.coverage);
        if let Some(counts) = &self.counts {
            counts.complete(&mut self.survey);
        }
        self.survey.refresh(
            &self.basis.controller,
            &self.basis.kubectl,
            self.coverage,
            self.basis.now,
        );
    }

    fn metrics(&mut self) -> Arc<Document> {
        if let Some((at, metrics)) = &self.metrics
            && at.elapsed() < METRICS_EVERY
        {
            return Arc::clone(metrics);
        }
        self.refresh();
        // About as long as the last time.
        let length = self
            .metrics
            .take()
            .map_or(0, |(_, last)| last.len() + SLACK);
        let mut text = Vec::with_capacity(length);
        let (lacks, now) = (self.all_lacks(), self.basis.now);
        let recording = self.recording.iter().flat_map(Recording::metrics);
        let written = served::metrics(&mut text, self.survey.rows(), &lacks, now)
            .and_then(|()| served::build_info(&mut text))
            .and_then(|()| served::plain_metrics(&mut text, recording))
            .and_then(|()| match &self.counts {
                Some(counts) => counts.write(|counts| served::run_metrics(&mut text, counts)),
                None => Ok(()),
            });
        if let Err(error) = written {
            warn(&format!("cannot write the metrics: {error}"));
        }
        text.shrink_to_fit();
        let metrics = Document::new(ContentType::Metrics, text);
        self.metrics = Some((Instant::now(), Arc::clone(&metrics)));
        metrics
    }

    fn report_input(&mut self) -> ReportInput {
        self.refresh();
        let wanted = &self.live.wanted;
        let namespace = wanted.namespace.clone();
        ReportInput {
            all_evidence: self.survey.shared_evidence().collect(),
            selection: ScanSelection {
                namespace: namespace.clone(),
                names: wanted.names.clone(),
                label_selector: wanted.label_selector.clone(),
                field_selector: wanted.field_selector.clone(),
                managed_by: None,
            },
            source: EvidenceSource {
                cluster: Some(self.cluster.clone()),
                server: Some(self.live.session.server().to_owned()),
                namespace: namespace.clone(),
                files: Vec::new(),
            },
            world: World {
                basis: self.basis.clone(),
                cron_jobs: Vec::new(),
                scheduled: Vec::new(),
                coverage: self.coverage,
                not_found: Vec::new(),
                complete: true,
                lacks: self.all_lacks(),
                namespace,
            },
        }
    }

    fn all_lacks(&self) -> Vec<UnreadResource> {
        let lacks = self.lacks.iter().chain(&self.lack_of_pods);
        lacks.cloned().collect()
    }

    /// Reads what is not watched if that is due, with the version of the API server now and then.
    fn read_unwatched(&mut self) {
        let is_due = self.reads_version || self.version_read_at.elapsed() >= VERSION_EVERY;
        let basis = is_due.then(|| self.basis.at(self.live.clock.now()));
        let events = self.events.clone();
        let then = move |live: &Live, unwatched| {
            let basis =
                basis.and_then(|basis| basis.with_server(&live.session, &mut Vec::new()).ok());
            // The exporter may have ended.
            let _ = events.send(Event::Unwatched(Box::new(Reading { basis, unwatched })));
        };
        self.reader.read_if_due(&self.live, &mut self.survey, then);
    }

    fn store(&mut self, reading: Reading) {
        if let Some(basis) = reading.basis {
            self.version_read_at = Instant::now();
            self.reads_version = false;
            self.live.clock = ServerClock::showing(basis.now);
            let all_evidence: Vec<&CronJobEvidence> = self.survey.all_evidence().collect();
            self.basis = basis.with_evidence_of(&all_evidence);
        }
        let is_lost = self.status.is_lost();
        let lacks = self
            .reader
            .store(reading.unwatched, &mut self.survey, is_lost);
        if let Some(lacks) = lacks {
            self.lack_of_pods = lacks;
        }
    }
}

/// The versions for watches that begin with a list, of the same resources.
fn from_lists(versions: &Versions) -> Versions {
    Versions {
        cron_jobs: String::new(),
        jobs: versions.jobs.as_ref().map(|_| String::new()),
        events: versions.events.as_ref().map(|_| String::new()),
    }
}
