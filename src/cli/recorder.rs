//! `--recorder`: reads what `serve --record` has stored.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use jiff::Timestamp;
use serde_json::Value;

use super::args::Common;
use super::diagnostic::Diagnostic;
use super::{interrupt, say_plainly, warn};
use crate::evidence::World;
use crate::recorder::{
    RunStore, StoreError, StoreLocation, is_possible_name, not_a_path, read_page,
};
use cronjob_diagnosis::history::{CronJobHistory, HistoryWindow, Reliability};
use kube_access::{Service, Session};
use kube_model::{CronJob, CronJobRecord, ObjectKey};

const HISTORY_PATH: &str = "/api/v1/history";
/// What a recorder may send for one call.
const MOST_PAGES: usize = 20_000;
const MOST_BYTES: usize = 1 << 30;
const LONGEST: Duration = Duration::from_secs(300);

/// Where stored runs are read.
#[derive(Debug, clap::Args)]
pub(super) struct RecorderArg {
    /// Add what serve --record has stored, in a file or in the cluster
    #[arg(
        long,
        value_name = "FILE|NAMESPACE/SERVICE",
        help_heading = "Selection",
        long_help = "\
Add the runs that serve --record has stored: those of a file, or those of the recorder behind a Service, which is \
reached through the API server. NAMESPACE/SERVICE:PORT names its port, which is http by default."
    )]
    recorder: Option<RecorderSource>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum RecorderSource {
    File(PathBuf),
    Service(Service),
    /// The address of a database, which may contain a password.
    Refused(&'static str),
}

impl FromStr for RecorderSource {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        // A folder of that name, as in a repository of manifests, is not meant.
        let service = Service::read(text).filter(|_| !Path::new(text).is_file());
        Ok(match (service, not_a_path(text)) {
            (Some(service), _) => RecorderSource::Service(service),
            (None, Some(why)) => RecorderSource::Refused(why),
            (None, None) => RecorderSource::File(text.into()),
        })
    }
}

impl RecorderArg {
    pub(super) fn is_given(&self) -> bool {
        self.recorder.is_some()
    }

    /// What of it only works with one context: a file does not say which cluster it is of.
    pub(super) fn for_one_context(&self) -> (&'static str, bool) {
        let is_file = matches!(self.recorder, Some(RecorderSource::File(_)));
        ("--recorder with a file", is_file)
    }
}

/// The reliability of each `CronJob` of a World in the last 28 days; nothing of one without a record.
pub(super) fn recent_reliability(world: &World) -> Vec<Option<Reliability>> {
    let coverage = world.reach_of_history();
    let window = HistoryWindow::recent(world.basis.now);
    let all = world.cron_jobs.iter().map(|one| {
        one.evidence.record.as_ref()?;
        let facts = world.basis.facts(&one.evidence, coverage);
        Reliability::of(&CronJobHistory::of(facts, &window))
    });
    all.collect()
}

/// A file of stored runs, of which those since a time are wanted.
pub(super) struct RecordFile {
    store: RunStore,
    intervals: Vec<Range<Timestamp>>,
    since: Timestamp,
}

impl RecordFile {
    /// What is stored of a `CronJob`.
    pub(super) fn record(&self, cron_job: &CronJob) -> Result<Arc<CronJobRecord>, StoreError> {
        let CronJob {
            namespace, name, ..
        } = cron_job;
        let (intervals, since) = (&self.intervals, self.since);
        let record = self
            .store
            .record(namespace, name, intervals, since, usize::MAX);
        record.map(Arc::new)
    }

    fn add_to(&self, world: &mut World) -> Result<(), StoreError> {
        for one in &mut world.cron_jobs {
            one.evidence.record = Some(self.record(&one.evidence.cron_job)?);
        }
        Ok(())
    }
}

impl Common {
    /// Adds what a recorder has stored since a time to the CronJobs of a World.
    pub(super) fn add_records(
        &self,
        world: &mut World,
        arg: &RecorderArg,
        since: Option<Timestamp>,
    ) -> anyhow::Result<()> {
        if let Some(file) = self.record_file(world, arg, since)? {
            file.add_to(world)?;
        }
        Ok(())
    }

    /// Adds what a recorder has stored since a time to the CronJobs of a World, and returns when others were deleted.
    pub(super) fn add_records_of_all(
        &self,
        world: &mut World,
        arg: &RecorderArg,
        since: Option<Timestamp>,
    ) -> anyhow::Result<Vec<(ObjectKey, Timestamp)>> {
        let deleted = |(key, record): (ObjectKey, CronJobRecord)| Some((key, record.deleted_at?));
        if let Some(RecorderSource::Service(service)) = &arg.recorder {
            let since = since.unwrap_or(Timestamp::MIN);
            let others = self.add_records_of(service, world, since, true)?;
            return Ok(others.into_iter().filter_map(deleted).collect());
        }
        let Some(file) = self.record_file(world, arg, since)? else {
            return Ok(Vec::new());
        };
        file.add_to(world)?;
        let found = world.cron_jobs.iter();
        let found: HashSet<ObjectKey> = found.map(|one| one.evidence.cron_job.key()).collect();
        let names = file.store.names(world.namespace.as_deref())?.into_iter();
        let others = names.filter(|key| !found.contains(key)).map(|key| {
            let (namespace, name) = (&key.namespace, &key.name);
            // Only whether it was deleted, without its runs.
            let record = file.store.record(namespace, name, &[], Timestamp::MAX, 0)?;
            Ok((key, record))
        });
        let others: Result<Vec<_>, StoreError> = others.collect();
        Ok(others?.into_iter().filter_map(deleted).collect())
    }

    /// Adds what the recorder behind a Service has stored, and returns what it has stored of other CronJobs, if all are
    /// wanted.
    fn add_records_of(
        &self,
        service: &Service,
        world: &mut World,
        since: Timestamp,
        wants_all: bool,
    ) -> anyhow::Result<HashMap<ObjectKey, CronJobRecord>> {
        let only = match world.cron_jobs.as_slice() {
            [one] if !wants_all => Some(one.evidence.cron_job.key()),
            _ => None,
        };
        let mut records = self.ask(service, world, only, since)?;
        for one in &mut world.cron_jobs {
            let place = one.evidence.cron_job.key();
            one.evidence.record = Some(Arc::new(records.remove(&place).unwrap_or_default()));
        }
        Ok(records)
    }

    /// The file to read the records of the CronJobs from. Those of a Service are added.
    pub(super) fn record_file(
        &self,
        world: &mut World,
        arg: &RecorderArg,
        since: Option<Timestamp>,
    ) -> anyhow::Result<Option<RecordFile>> {
        let since = since.unwrap_or(Timestamp::MIN);
        match &arg.recorder {
            None => Ok(None),
            Some(RecorderSource::Refused(why)) => Err(refused(why)),
            Some(RecorderSource::File(path)) => {
                let store = open_file(path)?;
                Ok(Some(RecordFile {
                    intervals: store.intervals()?,
                    store,
                    since,
                }))
            }
            Some(RecorderSource::Service(service)) => {
                self.add_records_of(service, world, since, false)?;
                Ok(None)
            }
        }
    }

    /// Appends the CronJobs of these names that are gone and recorded. Returns how many exist.
    pub(super) fn add_deleted(
        &self,
        world: &mut World,
        arg: &RecorderArg,
        names: &[String],
    ) -> anyhow::Result<usize> {
        let found = &world.cron_jobs;
        let is_found = |name: &str| found.iter().any(|one| one.evidence.cron_job.name == name);
        let gone: Vec<&String> = names.iter().filter(|name| !is_found(name)).collect();
        let existing = found.len();
        let namespace = world.namespace.as_deref();
        let mut deleted = Vec::new();
        match &arg.recorder {
            Some(RecorderSource::File(path)) if !gone.is_empty() => {
                let store = open_file(path)?;
                let seen = store.names(namespace)?;
                for name in gone {
                    for key in seen.iter().filter(|key| key.name == *name) {
                        deleted.push(store.last_known(&key.namespace, name)?.cron_job);
                    }
                }
            }
            Some(RecorderSource::Service(service)) if !gone.is_empty() => {
                let session = Session::open(&self.access(), &interrupt::SIGNALS)?;
                // Only whether they are there, without their runs.
                let since = Timestamp::MAX.to_string();
                // A recorder refuses a name that no CronJob can have.
                let names = gone.into_iter().filter(|name| is_possible_name(name));
                for name in names {
                    let parameters = [
                        ("namespace", namespace),
                        ("name", Some(&**name)),
                        ("since", Some(&*since)),
                    ];
                    read_pages(&session, service, &parameters, |body| {
                        let document: Value = serde_json::from_slice(body)?;
                        let items = document["items"].as_array().into_iter().flatten();
                        deleted.extend(items.map(recorded_cron_job));
                        Ok(document["continue"].as_str().map(str::to_owned))
                    })?;
                }
            }
            Some(RecorderSource::Refused(why)) if !gone.is_empty() => return Err(refused(why)),
            _ => {}
        }
        for mut cron_job in deleted {
            warn(&format!(
                "cronjob {}: showing only stored runs",
                cron_job.name
            ));
            cron_job.set_gone(world.basis.now);
            let one = World::of_one(world.basis.clone(), cron_job);
            world.cron_jobs.extend(one.cron_jobs);
        }
        Ok(existing)
    }

    /// Names the recorder of the cluster, which was not asked.
    pub(super) fn hint_at_recorder(&self) {
        let session = Session::open(&self.access(), &interrupt::SIGNALS);
        if let Some(recorder) = session.ok().and_then(|session| session.recorder()) {
            say_plainly(&format!(
                "Past runs are recorded in this cluster: see --recorder {recorder}"
            ));
        }
    }

    /// Reads all pages of a recorder, or those about one CronJob.
    fn ask(
        &self,
        service: &Service,
        world: &World,
        only: Option<ObjectKey>,
        since: Timestamp,
    ) -> anyhow::Result<HashMap<ObjectKey, CronJobRecord>> {
        let session = Session::open(&self.access(), &interrupt::SIGNALS)?;
        let namespace = only
            .as_ref()
            .map(|only| only.namespace.clone())
            .or_else(|| world.namespace.clone());
        let name = only.map(|only| only.name);
        let since = (since > Timestamp::MIN).then(|| since.to_string());
        let mut records: HashMap<ObjectKey, CronJobRecord> = HashMap::new();
        let parameters = [
            ("namespace", namespace.as_deref()),
            ("name", name.as_deref()),
            ("since", since.as_deref()),
        ];
        read_pages(&session, service, &parameters, |body| {
            let page = read_page(body)?;
            for one in page.records {
                let key = ObjectKey::new(one.namespace, one.name);
                records.entry(key).or_default().extend(one.record);
            }
            Ok(page.continues_with)
        })?;
        Ok(records)
    }
}

/// Reads the pages of a recorder, all of them or an error: a part would look like the whole. Calls `page` with each,
/// which returns the value of `continue` in it.
fn read_pages(
    session: &Session,
    service: &Service,
    parameters: &[(&str, Option<&str>)],
    mut page: impl FnMut(&[u8]) -> Result<Option<String>, serde_json::Error>,
) -> anyhow::Result<()> {
    let started = Instant::now();
    let (mut bytes, mut next) = (0, None::<String>);
    let mut known = HashSet::new();
    for _ in 0..MOST_PAGES {
        let mut all = parameters.to_vec();
        all.push(("continue", next.as_deref()));
        let body = session.ask_service(service, HISTORY_PATH, &all)?;
        let what = || format!("the recorder {service} sent something else than a history");
        let following = page(&body).with_context(what)?;
        let Some(following) = following else {
            return Ok(());
        };
        if !known.insert(following.clone()) {
            bail!("the recorder {service} sent the same value of continue twice");
        }
        bytes += body.len();
        if bytes > MOST_BYTES || started.elapsed() > LONGEST {
            break;
        }
        next = Some(following);
    }
    bail!(
        Diagnostic::new(format!(
            "the recorder {service} sent too much, or took too long"
        ))
        .help("Ask for less with --since or the name of a CronJob.")
    )
}

fn refused(why: &str) -> anyhow::Error {
    let help = "--recorder takes a file that serve --record has written, or NAMESPACE/SERVICE. Runs in a database are \
                read through the Service of a recorder.";
    Diagnostic::new(format!("--recorder: {why}"))
        .help(help)
        .into()
}

/// A `CronJob` of the document that a recorder serves.
fn recorded_cron_job(item: &Value) -> CronJob {
    let text = |field: &str| item[field].as_str().map(str::to_owned);
    let mut cron_job = CronJob {
        namespace: text("namespace").unwrap_or_default(),
        name: text("name").unwrap_or_default(),
        ..CronJob::default()
    };
    cron_job.spec.schedule = text("schedule").unwrap_or_default();
    cron_job.spec.time_zone = text("timeZone");
    cron_job
}

fn open_file(path: &Path) -> anyhow::Result<RunStore> {
    let opened = StoreLocation::File(path.to_owned()).open();
    opened.map_err(|error| {
        let help = "--recorder takes a file that serve --record has written, or NAMESPACE/SERVICE.";
        Diagnostic::new(error.to_string()).help(help).into()
    })
}
