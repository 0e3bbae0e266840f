//! The CronJobs that a call is about.

use std::io;

use anyhow::bail;

use super::args::Selection;
use super::{complain, warn};
use crate::model::CronJob;
use crate::snapshot::{self, Located, Options, Written};
use crate::upcoming::Subject;

/// A subject, and where it comes from.
pub(super) struct LocatedSubject {
    pub(super) subject: Subject,
    /// Where its schedule stands: `file:line:column`.
    pub(super) schedule_place: Option<String>,
    /// Where its time zone stands.
    pub(super) time_zone_place: Option<String>,
}

/// What was found, and whether that is all that was asked for.
pub(super) struct Found {
    pub(super) subjects: Vec<LocatedSubject>,
    pub(super) complete: bool,
}

impl Found {
    pub(super) fn of_schedule(subject: Subject) -> Self {
        Found {
            subjects: vec![LocatedSubject {
                subject,
                schedule_place: None,
                time_zone_place: None,
            }],
            complete: true,
        }
    }
}

/// The CronJobs of the files that were named. What cannot be read is said at once.
pub(super) fn read_files(selection: &Selection, quiet: bool) -> anyhow::Result<Found> {
    let names = selection
        .names
        .iter()
        .map(|name| plain_name(name))
        .collect::<Result<Vec<_>, _>>()?;
    let namespace = selection.namespace.clone();
    let options = Options {
        recursive: selection.recursive,
        namespace: namespace
            .clone()
            .unwrap_or_else(|| Options::default().namespace),
    };
    let (evidence, errors) = snapshot::read(&selection.filename, &options, &mut io::stdin().lock());
    for error in &errors {
        complain(&error.to_string());
    }
    if !quiet {
        evidence
            .warnings
            .iter()
            .for_each(|warning| warn(&warning.to_string()));
    }
    let wanted = |cron_job: &CronJob| {
        let in_namespace = selection.all_namespaces
            || namespace
                .as_ref()
                .is_none_or(|namespace| cron_job.namespace == *namespace);
        in_namespace && (names.is_empty() || names.contains(&cron_job.name.as_str()))
    };
    let subjects: Vec<LocatedSubject> = evidence
        .cron_jobs
        .into_iter()
        .filter(|located| wanted(&located.object))
        .map(LocatedSubject::from)
        .collect();
    let mut complete = errors.is_empty();
    for name in names {
        if !subjects
            .iter()
            .any(|found| found.subject.name.as_deref() == Some(name))
        {
            complain(&format!("no CronJob named {name:?} in what -f names"));
            complete = false;
        }
    }
    Ok(Found { subjects, complete })
}

impl From<Located<CronJob>> for LocatedSubject {
    fn from(located: Located<CronJob>) -> Self {
        let fields = located.fields;
        let place = |field: Option<Written>| {
            let place = field.map_or(located.place, |written| written.place);
            Some(format!("{}:{}:{}", located.file, place.line, place.column))
        };
        let cron_job = located.object;
        let subject = Subject {
            namespace: Some(cron_job.namespace),
            name: Some(cron_job.name),
            schedule: cron_job.spec.schedule,
            time_zone: cron_job.spec.time_zone,
            suspended: cron_job.spec.suspend.unwrap_or(false),
        };
        LocatedSubject {
            subject,
            schedule_place: place(fields.schedule),
            time_zone_place: place(fields.time_zone),
        }
    }
}

/// The name alone, of `NAME`, `cronjob/NAME` or `cj/NAME`.
fn plain_name(argument: &str) -> anyhow::Result<&str> {
    const KINDS: [&str; 5] = [
        "cronjob",
        "cronjobs",
        "cj",
        "cronjob.batch",
        "cronjobs.batch",
    ];
    match argument.split_once('/') {
        None => Ok(argument),
        Some((kind, name)) if KINDS.contains(&kind.to_ascii_lowercase().as_str()) => Ok(name),
        Some((kind, _)) => bail!("{argument:?} names a {kind}, not a CronJob"),
    }
}
