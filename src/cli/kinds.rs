//! Objects with a schedule that are not CronJobs: which ones to read, and `explain KIND/NAME`.

use std::io;

use anyhow::{Context, bail};

use super::CommandOutcome;
use super::args::{Common, CronJobArgs, Selection};
use crate::evidence::{Basis, EvidenceNote, Files, Needs, read_files};
use crate::output::kinds::ScheduleExplanations;
use cronjob_controller::kinds::{
    KINDS, KindExplanation, KindSet, ScheduledKind, ScheduledObject, named,
};

/// Which other kinds to read with the CronJobs.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Selection")]
pub(super) struct KindsArg {
    /// Add other kinds with schedules: all, or a list such as scheduledbackups,schedules
    ///
    /// Add the schedules of other kinds: all, or a list of cronworkflows, replicationdestinations,
    /// replicationsources, scheduledbackups and schedules. In a cluster the default is none, in files all.
    #[arg(
        long,
        value_name = "KINDS",
        value_delimiter = ',',
        conflicts_with = "names"
    )]
    kinds: Vec<String>,
}

impl KindsArg {
    /// The kinds to read.
    pub(super) fn set(&self, of: &CronJobArgs) -> anyhow::Result<KindSet> {
        let from_files = !of.filename.is_empty() && of.names.is_empty();
        if from_files && self.kinds.is_empty() || self.kinds.iter().any(|kind| kind == "all") {
            return Ok(KindSet::ALL);
        }
        let kind = |name: &String| {
            named(name).with_context(|| {
                let known = KINDS.each_ref().map(ScheduledKind::plural).join(", ");
                format!("--kinds: unknown kind {name:?}: must be all, {known}")
            })
        };
        let kinds: anyhow::Result<Vec<_>> = self.kinds.iter().map(kind).collect();
        Ok(KindSet::of(&kinds?))
    }
}

/// An object of another kind, as `explain` names it.
pub(super) struct NamedSchedule {
    kind: &'static ScheduledKind,
    name: String,
}

/// The objects in `KIND/NAME`, if other kinds than CronJobs are named.
pub(super) fn named_objects(names: &[String]) -> anyhow::Result<Vec<NamedSchedule>> {
    let read = |argument: &String| {
        let (kind, name) = argument.split_once('/')?;
        let kind = named(kind).filter(|_| !name.is_empty())?;
        let name = name.to_owned();
        Some(NamedSchedule { kind, name })
    };
    let found: Vec<NamedSchedule> = names.iter().filter_map(read).collect();
    if !found.is_empty() && found.len() < names.len() {
        bail!("CronJobs and other kinds cannot be explained together");
    }
    Ok(found)
}

/// Explains objects of other kinds.
pub(super) fn explanations(
    common: &Common,
    selection: &Selection,
    basis: Basis,
    wanted: &[NamedSchedule],
) -> anyhow::Result<(ScheduleExplanations, CommandOutcome)> {
    if common.connection.namespaces.len() > 1 {
        bail!("KIND/NAME only works with one namespace");
    }
    let unnamed = Selection {
        cron_jobs: CronJobArgs {
            names: Vec::new(),
            ..selection.cron_jobs.clone()
        },
        field_selector: None,
    };
    let kinds: Vec<_> = wanted.iter().map(|one| one.kind).collect();
    let needs = Needs::default().with_kinds(KindSet::of(&kinds));
    let query = common.query(&unnamed, needs)?;
    let (basis, objects, mut complete) = if unnamed.cron_jobs.filename.is_empty() {
        let (live, basis) = common
            .connect(basis, query)
            .map_err(super::world::or_files)?;
        let (objects, complete) = common.noting(|notes| Ok(live.scheduled(notes)))?;
        (basis, objects, complete)
    } else {
        let files = Files {
            paths: &unnamed.cron_jobs.filename,
            recursive: unnamed.cron_jobs.recursive,
        };
        let stdin = &mut io::stdin().lock();
        let (world, _) = common.noting(|notes| read_files(basis, &files, &query, stdin, notes))?;
        let world = world.judged(None);
        (world.basis, world.scheduled, world.complete)
    };
    let mut items = Vec::new();
    for NamedSchedule { kind, name } in wanted {
        let is_it = |object: &&ScheduledObject| object.kind == *kind && object.name == *name;
        let before = items.len();
        let found = objects.iter().filter(is_it);
        items.extend(found.map(|object| KindExplanation::of(object, basis.now, &*basis.zones)));
        if items.len() == before && complete {
            let missing = format!("{} {name:?} not found", kind.qualified());
            common.print([EvidenceNote::Error(missing)]);
        }
        complete &= items.len() > before;
    }
    let now = basis.now;
    let outcome = CommandOutcome::of(complete, false);
    Ok((ScheduleExplanations { now, items }, outcome))
}
