//! Objects with a schedule that are not CronJobs: which ones to read, and `explain KIND/NAME`.

use std::io;

use anyhow::bail;

use super::CommandOutcome;
use super::args::{Common, CronJobArgs, Selection};
use crate::evidence::{Basis, EvidenceNote, Files, Needs, read_files};
use crate::kinds::{KINDS, KindExplanation, KindSet, ScheduledKind, ScheduledObject, named};
use crate::output::kinds::ScheduleExplanations;

/// Which other kinds to read with the CronJobs.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Selection")]
pub(super) struct KindsArg {
    /// Add other kinds with schedules: all, or a list such as scheduledbackups,schedules
    #[arg(
        long,
        value_name = "KINDS",
        value_delimiter = ',',
        conflicts_with = "names",
        long_help = "\
Add the schedules of other kinds: all, or a list of cronworkflows, replicationdestinations, replicationsources, \
scheduledbackups and schedules. In a cluster the default is none, in files all."
    )]
    kinds: Vec<String>,
}

impl KindsArg {
    /// The kinds to read.
    pub(super) fn set(&self, of: &CronJobArgs) -> anyhow::Result<KindSet> {
        if self.kinds.is_empty() {
            let from_files = !of.filename.is_empty() && of.names.is_empty();
            return Ok(if from_files {
                KindSet::ALL
            } else {
                KindSet::default()
            });
        }
        if self.kinds.iter().any(|kind| kind == "all") {
            return Ok(KindSet::ALL);
        }
        let kinds = self.kinds.iter().map(|name| named(name).ok_or(name));
        match kinds.collect::<Result<Vec<_>, _>>() {
            Ok(kinds) => Ok(KindSet::of(kinds)),
            Err(unknown) => {
                let known: Vec<&str> = KINDS.iter().map(|kind| kind.plural).collect();
                bail!(
                    "--kinds: unknown kind {unknown:?}: must be all, {}",
                    known.join(", ")
                )
            }
        }
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
        let (kind, name) = (named(kind)?, name.to_owned());
        (!name.is_empty()).then_some(NamedSchedule { kind, name })
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
    let needs = Needs::default().with_kinds(KindSet::of(wanted.iter().map(|one| one.kind)));
    let query = common.query(&unnamed, needs)?;
    let (basis, objects, mut complete) = if unnamed.cron_jobs.filename.is_empty() {
        let (live, basis) = common
            .connect(basis, query)
            .map_err(super::world::or_files)?;
        let (objects, complete) = common.noting(|notes| Ok(live.scheduled(notes)?))?;
        (basis, objects, complete)
    } else {
        let files = Files {
            paths: &unnamed.cron_jobs.filename,
            recursive: unnamed.cron_jobs.recursive,
        };
        let stdin = &mut io::stdin().lock();
        let (world, _) = common.noting(|notes| read_files(basis, &files, &query, stdin, notes))?;
        (world.basis, world.scheduled, world.complete)
    };
    let mut items = Vec::new();
    for one in wanted {
        let is_it = |object: &&ScheduledObject| object.kind == one.kind && object.name == one.name;
        let found = objects.iter().filter(is_it);
        let before = items.len();
        items.extend(found.map(|object| KindExplanation::of(object, basis.now, &*basis.zones)));
        if items.len() == before && complete {
            let missing = format!("{} {:?} not found", one.kind.qualified(), one.name);
            common.print([EvidenceNote::Error(missing)]);
        }
        complete &= items.len() > before;
    }
    let now = basis.now;
    let outcome = CommandOutcome::of(complete, false);
    Ok((ScheduleExplanations { now, items }, outcome))
}
