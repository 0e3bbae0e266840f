//! Loads the CronJobs and their evidence, and prints the notes about loading them.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use anyhow::{anyhow, bail};
use jiff::Timestamp;

use super::args::{
    BasisArgs, Common, Selection, Side, TimeReference, check_time_zone, resolve, zone_of,
};
use super::diagnostic::Diagnostic;
use super::names::in_namespace;
use super::parse::{is_cron_job_type, is_job_type, is_pod_type};
use super::stdio::Meter;
use super::{caution, complain, hint, interrupt, is_quiet, say_plainly, warn};
use crate::evidence::{
    Basis, EvidenceError, EvidenceNote, EvidenceQuery, Files, FixedValues, JOB, Live, Needs, POD,
    ReadWorld, World, read_files,
};
use crate::output::contexts::ContextDocument;
use crate::output::controller::ControllerDocument;
use crate::output::{DocumentHeader, ReadHeader};
use cronjob_controller::kinds;
use cronjob_controller::upcoming::{Subject, shared_display_zone};
use cronjob_diagnosis::kubectl::Kubectl;
use cronjob_diagnosis::survey::ScanSelection;
use kube_access::{Access, ClusterError, ReadProgress, Session, check_namespace};
use kube_cron::Zone;
use kube_model::CronJob;
use kube_objects::query::{ObjectQuery, PageSize, Resource};

impl Common {
    /// The time, the time zones and the controller that flags set.
    pub(super) fn basis(&self, flags: &BasisArgs) -> anyhow::Result<Basis> {
        let zones = self.zones()?;
        let clock = read_clock();
        let display = flags.display_time_zone.as_ref();
        let display = zone_of("--display-time-zone", display, &zones)?;
        let reference = TimeReference {
            now: clock,
            zones: &zones,
            zone: display.as_deref(),
        };
        let fixed = FixedValues {
            now: resolve(flags.now.as_ref(), "--now", Side::Future, reference)?,
            release: flags.kubernetes_version,
            model: flags.controller,
            time_zone: zone_of(
                "--controller-time-zone",
                flags.controller_time_zone.as_ref(),
                &zones,
            )?,
            display,
        };
        let kubectl = Kubectl::from(&self.connection);
        let basis = Basis::new(fixed, clock, zones, kubectl);
        self.print(basis.newer_release());
        Ok(basis)
    }

    /// Reads the selected CronJobs from files or from the cluster, with the connection, if there is one.
    pub(super) fn load(
        &self,
        basis: Basis,
        selection: &Selection,
        needs: Needs,
    ) -> anyhow::Result<(World, Option<Live>)> {
        let query = self.query(selection, needs)?;
        if selection.cron_jobs.filename.is_empty() {
            let (live, world) = self.load_query(basis, query).map_err(or_files)?;
            let hint = match world.namespace() {
                Some(_) => Some("use -A for all namespaces"),
                None if selection.is_everything() => {
                    Some("lint checks a manifest before you apply it")
                }
                None => None,
            };
            let world = self.conclude(world, Some(&live), hint);
            return Ok((world, Some(live)));
        }
        let files = Files {
            paths: &selection.cron_jobs.filename,
            recursive: selection.cron_jobs.recursive,
        };
        let stdin = &mut io::stdin().lock();
        let (world, instead) =
            self.noting(|notes| read_files(basis, &files, &query, stdin, notes))?;
        Ok((self.conclude(world, None, instead.as_deref()), None))
    }

    /// Reads the cluster. The caller calls [`Self::conclude`].
    pub(super) fn load_query(
        &self,
        basis: Basis,
        query: EvidenceQuery,
    ) -> anyhow::Result<(Live, ReadWorld)> {
        let everywhere = query.all_namespaces;
        let (mut live, basis) = self.connect(basis, query)?;
        let world = self.read(&mut live, basis)?;
        let more = self.connection.namespaces.get(1..).unwrap_or_default();
        if everywhere || more.is_empty() {
            return Ok((live, world));
        }
        more.iter().try_for_each(|name| check_namespace(name))?;
        let names = live.wanted.names.clone();
        let more = more.iter().map(|name| (name.clone(), names.clone()));
        let world = self.read_more(&mut live, world, more)?;
        Ok((live, world))
    }

    /// Connects, and reads the version of the API server.
    pub(super) fn connect(
        &self,
        basis: Basis,
        query: EvidenceQuery,
    ) -> anyhow::Result<(Live, Basis)> {
        let access = self.access();
        let connect = || {
            let session = Session::open(&access, &interrupt::SIGNALS)?;
            self.note(|about| about.server = Some(session.server().to_owned()));
            Ok(session)
        };
        let (live, basis) = self.noting(|notes| Live::open(basis, connect, query, notes))?;
        self.note(|about| {
            about.kubernetes_version = basis.server_release();
            about.reachable = true;
        });
        Ok((live, basis))
    }

    /// Reads more namespaces, one after the other, each with the names of its CronJobs.
    pub(super) fn read_more(
        &self,
        live: &mut Live,
        mut world: ReadWorld,
        more: impl IntoIterator<Item = (String, Vec<String>)>,
    ) -> anyhow::Result<ReadWorld> {
        let mut all_names = BTreeSet::from_iter(live.wanted.names.clone());
        let mut empty = Vec::new();
        empty.extend(world.empty_namespace().cloned());
        for (namespace, names) in more {
            all_names.extend(names.iter().cloned());
            *live = live.of_names(Some(namespace), names);
            let more = self.read(live, world.basis().clone())?;
            empty.extend(more.empty_namespace().cloned());
            world = world.with(more);
        }
        // If all of them are empty, that is reported with the result.
        let some = empty.into_iter().filter(|_| !world.is_empty());
        self.print(
            some.map(|name| {
                EvidenceNote::Info(format!("No CronJobs found in namespace {name:?}."))
            }),
        );
        *live = Live {
            versions: live.versions.clone(),
            ..live.of_names(None, all_names.into_iter().collect())
        };
        Ok(world)
    }

    pub(super) fn read(&self, live: &mut Live, basis: Basis) -> anyhow::Result<ReadWorld> {
        let progress = ReadProgress::default();
        let is_alone = self.record.is_none();
        let counted = progress.clone();
        let meter = Meter::start(is_alone, move || {
            let [cron_jobs, jobs, events] = counted.counts();
            format!("reading: {cron_jobs} CronJobs, {jobs} Jobs, {events} events")
        });
        let mut notes = Vec::new();
        let found = live.list(&progress, &mut notes);
        drop(meter);
        let found = found?;
        self.print(notes);
        self.noting(|notes| Ok(live.world(basis, found, notes)?))
    }

    /// Sets what the objects show about the controller. `hint` is appended if there are no
    /// CronJobs.
    pub(super) fn conclude(
        &self,
        world: ReadWorld,
        live: Option<&Live>,
        hint: Option<&str>,
    ) -> World {
        let mut notes = Vec::new();
        let world = world.conclude(live, hint, &mut notes);
        self.print(notes);
        world
    }

    /// Prints the notes of a step, even if it fails.
    pub(super) fn noting<T>(
        &self,
        step: impl FnOnce(&mut Vec<EvidenceNote>) -> Result<T, EvidenceError>,
    ) -> anyhow::Result<T> {
        let mut notes = Vec::new();
        let result = step(&mut notes);
        self.print(notes);
        result.map_err(explained)
    }

    pub(super) fn print(&self, notes: impl IntoIterator<Item = EvidenceNote>) {
        for note in notes {
            match note {
                EvidenceNote::Error(text) => {
                    complain(&text);
                    self.note(|about| about.add_error(&text));
                }
                EvidenceNote::Warning(text) => caution(&text),
                EvidenceNote::Info(text) => hint(&text),
            }
        }
    }

    /// Notes what is found out about the context, if it is one of several.
    fn note(&self, change: impl FnOnce(&mut ContextDocument)) {
        if let Some(record) = &self.record {
            record.change(change);
        }
    }

    /// Which CronJobs to read, and what about them.
    pub(super) fn query(
        &self,
        selection: &Selection,
        needs: Needs,
    ) -> anyhow::Result<EvidenceQuery> {
        let of = &selection.cron_jobs;
        let names = of
            .names
            .iter()
            .map(|name| match (job_name(name), pod_name(name)) {
                (Some(job), _) => Ok(format!("{JOB}{job}")),
                (_, Some(pod)) => Ok(format!("{POD}{pod}")),
                _ => plain_name(name),
            });
        let names = names.collect::<anyhow::Result<Vec<_>>>()?;
        let mut kinds = names.iter();
        let names_job = kinds.any(|name| name.starts_with(JOB) || name.starts_with(POD));
        let resource = of
            .resource
            .resource
            .as_deref()
            .map(|text| Resource::read(text).map_err(|error| anyhow!("--resource: {error}")));
        Ok(EvidenceQuery {
            wanted: ObjectQuery {
                resource: resource.transpose()?.unwrap_or_else(Resource::cron_jobs),
                namespace: self.connection.namespace().cloned(),
                names,
                suggests: true,
                label_selector: of.selector.clone(),
                field_selector: selection.field_selector.clone(),
                jobs: needs.jobs || names_job,
                pods: needs.pods,
                page: of.chunk_size.map_or(PageSize::Growing, PageSize::Fixed),
                most: None,
            },
            all_namespaces: of.all_namespaces,
            needs,
        })
    }

    /// Which CronJobs an answer is about.
    pub(super) fn selection(
        &self,
        world: &World,
        flags: &Selection,
        managed_by: Option<String>,
    ) -> ScanSelection {
        let of = &flags.cron_jobs;
        let names = of.names.iter().filter_map(|name| plain_name(name).ok());
        let names: BTreeSet<String> = names.collect();
        let mut several = self.connection.namespaces.clone();
        several.sort_unstable();
        ScanSelection {
            namespace: if several.len() > 1 && !of.all_namespaces {
                Some(several.join(","))
            } else {
                world.namespace.clone()
            },
            names: names.into_iter().collect(),
            label_selector: of.selector.clone(),
            field_selector: flags.field_selector.clone(),
            managed_by,
        }
    }

    /// How the cluster is reached, and where requests are logged.
    pub(super) fn access(&self) -> Access {
        Access {
            trace: (self.global.verbose > 0).then_some(say_plainly as fn(&str)),
            notice: (!is_quiet()).then_some(|text: &str| warn(text)),
            ..Access::from(&self.connection)
        }
    }
}

/// A World of one CronJob with a schedule of the command line, if one is given, and nothing else.
pub(super) fn world_of_schedule(
    common: &Common,
    flags: &BasisArgs,
    schedule: Option<&str>,
    time_zone: Option<&String>,
) -> anyhow::Result<Option<World>> {
    let Some(schedule) = schedule else {
        return Ok(None);
    };
    let basis = common.basis(flags)?;
    if let Some(name) = time_zone {
        check_time_zone(name, &basis)?;
    }
    let mut cron_job = CronJob {
        api_version: "batch/v1".to_owned(),
        namespace: "default".to_owned(),
        name: "simulated".to_owned(),
        ..CronJob::default()
    };
    cron_job.spec.schedule = schedule.to_owned();
    cron_job.spec.time_zone = time_zone.cloned();
    Ok(Some(World::of_one(basis, cron_job)))
}

/// Whether an argument is a schedule: no name contains a space or `@`.
pub(super) fn is_schedule(argument: &str) -> bool {
    let words = argument.split_whitespace().count();
    argument.starts_with('@') || words >= 5
}

/// The name in `job/NAME`.
pub(super) fn job_name(argument: &str) -> Option<&str> {
    let (kind, name) = argument.split_once('/')?;
    (is_job_type(kind) && !name.is_empty()).then_some(name)
}

/// The name in `pod/NAME`.
pub(super) fn pod_name(argument: &str) -> Option<&str> {
    let (kind, name) = argument.split_once('/')?;
    (is_pod_type(kind) && !name.is_empty()).then_some(name)
}

/// The name in `NAME`, `NAMESPACE/NAME`, `cronjob/NAME` or `cj/NAME`.
fn plain_name(argument: &str) -> anyhow::Result<String> {
    if is_schedule(argument) {
        let command = Kubectl::default()
            .doctor("next-runs")
            .argument("--schedule");
        let help = format!("Use {}", command.argument(argument));
        bail!(
            Diagnostic::new(format!(
                "{argument:?} is a schedule, not the name of a CronJob"
            ))
            .help(&help)
        )
    }
    if let Some((_, name)) = in_namespace(argument) {
        return Ok(name.to_owned());
    }
    match argument.split_once('/').unwrap_or(("cronjob", argument)) {
        (kind, name) if is_cron_job_type(kind) && !name.is_empty() => Ok(name.to_owned()),
        (kind, _) if kinds::named(kind).is_some() => bail!(
            Diagnostic::new(format!("{argument:?} is not a CronJob")).help(
                "Other kinds with schedules are read by lint, by explain KIND/NAME, and by next-runs, load and \
                 report with --kinds."
            )
        ),
        (kind, _) if !kind.is_empty() && !is_cron_job_type(kind) => {
            bail!("{argument:?} is a {kind}, not a CronJob")
        }
        _ => {
            bail!("{argument:?} is not a valid CronJob name: must be NAME, NAMESPACE/NAME, cronjob/NAME or cj/NAME")
        }
    }
}

/// Converts an error of loading for printing.
pub(super) fn explained(error: EvidenceError) -> anyhow::Error {
    match error {
        EvidenceError::Cluster(error) => error.into(),
        EvidenceError::Selector {
            ref text,
            error: ref wrong,
            ..
        } => Diagnostic::new(error.to_string())
            .excerpt(text, wrong.span())
            .into(),
        EvidenceError::Version(_) => error.into(),
    }
}

/// Mentions -f if there is no cluster.
pub(super) fn or_files(error: anyhow::Error) -> anyhow::Error {
    or_else(
        error,
        "Set the kubeconfig with --kubeconfig, or read files with -f.",
    )
}

/// With what to do if there is no cluster.
pub(super) fn or_else(error: anyhow::Error, help: &str) -> anyhow::Error {
    match error.downcast_ref() {
        Some(ClusterError::NoCluster { tried }) => {
            let notice = Diagnostic::new(error.to_string()).listing(tried);
            notice.help(help).into()
        }
        _ => error,
    }
}

/// The zone that the times of all CronJobs are shown in, if it is the same.
pub(super) fn shown_zone(world: &World) -> Option<Arc<Zone>> {
    let cron_jobs = world.cron_jobs.iter().map(|one| &one.evidence.cron_job);
    let subjects: Vec<Subject> = cron_jobs.map(Subject::from).collect();
    shared_display_zone(&world.basis.controller, subjects.iter())
}

pub(super) fn read_header(world: &World) -> ReadHeader {
    ReadHeader {
        header: document_header(&world.basis),
        lacks: world.lacks.clone(),
    }
}

pub(super) fn document_header(basis: &Basis) -> DocumentHeader {
    DocumentHeader {
        now: basis.now,
        controller: controller_document(basis),
    }
}

pub(super) fn controller_document(basis: &Basis) -> ControllerDocument {
    let controller = &basis.controller;
    ControllerDocument {
        model: controller.model.name(controller.release),
        kubernetes_version: controller.release,
        source: basis.release_source(),
        time_zone: controller.local.name().to_owned(),
        time_zone_source: basis.time_zone_source(),
    }
}

/// The only place that reads the local clock.
#[allow(
    clippy::disallowed_methods,
    reason = "the one place; `now` is an argument everywhere else"
)]
pub(super) fn read_clock() -> Timestamp {
    Timestamp::now()
}
