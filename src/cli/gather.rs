//! The CronJobs that a call is about, with what is known of them.

use std::io;

use anyhow::bail;

use super::absent::InFiles;
use super::args::{Connection, Global, Selection};
use super::connect::Live;
use super::gathered::{Chosen, Gathered, Needs, Places};
use super::notice::Notice;
use super::selectors::Selectors;
use super::settings::Settings;
use super::{complain, warn};
use crate::cluster;
use crate::diagnose::{Coverage, evidence_by_cron_job};
use crate::model::{CronJob, RelatedObjects, ResourceKind, UnreadResource};
use crate::snapshot::{self, Evidence, Located, Options, Written};

/// Reads what the selection names: files, or else the cluster.
pub(super) fn gather(
    settings: &mut Settings,
    global: &Global,
    connection: &Connection,
    selection: &Selection,
    needs: Needs,
) -> anyhow::Result<Gathered> {
    let names = plain_names(selection)?;
    let gathered = if selection.filename.is_empty() {
        let mut live =
            Live::open(settings, global, connection, selection, &names, needs).map_err(or_files)?;
        let found = live.read(settings, global)?;
        let instead = found
            .namespace
            .is_some()
            .then(|| "-A looks in all".to_owned());
        Gathered { instead, ..found }
    } else {
        from_files(settings, global, connection, selection, &names, needs)?
    };
    conclude(settings, global, &gathered);
    Ok(gathered)
}

/// Whoever has no cluster may have files.
pub(super) fn or_files(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref() {
        Some(cluster::Error::NoCluster { tried }) => {
            let notice = Notice::new(error.to_string()).listing(tried);
            notice
                .help("name one with --kubeconfig, or read files with -f")
                .into()
        }
        _ => error,
    }
}

/// Reads the cluster, and leaves the connection open for more.
pub(super) fn gather_live(
    settings: &mut Settings,
    global: &Global,
    connection: &Connection,
    selection: &Selection,
    needs: Needs,
) -> anyhow::Result<(Live, Gathered)> {
    let names = plain_names(selection)?;
    let mut live = Live::open(settings, global, connection, selection, &names, needs)?;
    let gathered = live.read(settings, global)?;
    conclude(settings, global, &gathered);
    Ok((live, gathered))
}

fn plain_names(selection: &Selection) -> anyhow::Result<Vec<&str>> {
    let names = selection.names.iter();
    names.map(|name| plain_name(name)).collect()
}

/// What the evidence says of the controller.
pub(super) fn conclude(settings: &mut Settings, global: &Global, gathered: &Gathered) {
    if !global.quiet {
        gathered.lacks.iter().for_each(say);
    }
    settings.choose_model(
        gathered
            .chosen
            .iter()
            .map(|chosen| &chosen.evidence.cron_job),
    );
    settings.infer_zone(gathered.chosen.iter().map(|chosen| &chosen.evidence));
    if gathered.chosen.is_empty() && gathered.complete && !global.quiet {
        let place = gathered.namespace.as_ref();
        let place = place.map(|namespace| format!(" in the namespace {namespace:?}"));
        let instead = gathered.instead.as_ref().map(|what| format!("; {what}"));
        super::say_plainly(&format!(
            "No CronJobs found{}{}.",
            place.unwrap_or_default(),
            instead.unwrap_or_default()
        ));
    }
}

/// Reads the files that were named. What cannot be read is said at once.
fn from_files(
    settings: &Settings,
    global: &Global,
    connection: &Connection,
    selection: &Selection,
    names: &[&str],
    needs: Needs,
) -> anyhow::Result<Gathered> {
    let selectors = Selectors::of(selection)?;
    let usual = connection.namespace.as_ref();
    let namespace = usual.filter(|_| !selection.all_namespaces);
    let options = Options {
        recursive: selection.recursive,
        namespace: usual
            .cloned()
            .unwrap_or_else(|| Options::default().namespace),
        ..Options::default()
    };
    let (evidence, errors) = snapshot::read(&selection.filename, &options, &mut io::stdin().lock());
    for error in &errors {
        complain(&error.to_string());
    }
    if !global.quiet {
        evidence
            .unread
            .iter()
            .for_each(|file| warn(&file.to_string()));
        for warning in &evidence.warnings {
            warn(&warning.to_string());
        }
    }
    let Evidence {
        mut cron_jobs,
        jobs,
        events,
        pods,
        quotas,
        skipped,
        ..
    } = evidence;
    let seen = RelatedObjects {
        jobs,
        events,
        pods,
        quotas,
    };
    let all = cron_jobs.iter().map(|located| &located.object);
    let coverage = Coverage::of_files(all, &seen, settings.now);
    for located in &mut cron_jobs {
        located.object.assume_created(settings.now);
    }
    let wanted = |cron_job: &CronJob| {
        let in_namespace = namespace.is_none_or(|namespace| cron_job.namespace == *namespace);
        let named = names.is_empty() || names.contains(&cron_job.name.as_str());
        in_namespace && named && selectors.choose(cron_job)
    };
    let mut complete = errors.is_empty();
    let in_files = InFiles {
        cron_jobs: &cron_jobs,
        others: &skipped,
        namespace: namespace.map(String::as_str),
    };
    for name in names {
        let is_it = |found: &Located<CronJob>| found.object.name == *name && wanted(&found.object);
        if !cron_jobs.iter().any(is_it) {
            complain(&in_files.not_named(name));
            complete = false;
        }
    }
    let is_any = cron_jobs.iter().any(|located| wanted(&located.object));
    let instead = if is_any { None } else { in_files.instead() };
    cron_jobs.retain(|located| wanted(&located.object));
    let mut lacks = Vec::new();
    if needs.jobs && !coverage.jobs_read && !cron_jobs.is_empty() {
        lacks.push(UnreadResource {
            what: ResourceKind::Jobs,
            reason: "what -f names has none".to_owned(),
        });
    }
    let places: Vec<Places> = cron_jobs.iter().map(Places::of).collect();
    let cron_jobs = cron_jobs.into_iter().map(|located| located.object);
    let chosen = evidence_by_cron_job(cron_jobs.collect(), seen)
        .into_iter()
        .zip(places)
        .map(|(evidence, places)| Chosen {
            evidence,
            places: Some(places),
        })
        .collect();
    Ok(Gathered {
        chosen,
        coverage,
        complete,
        lacks,
        namespace: namespace.cloned(),
        instead,
    })
}

impl Places {
    fn of(located: &Located<CronJob>) -> Self {
        let place = |field: &Option<Written>| {
            let place = field
                .as_ref()
                .map_or(located.place, |written| written.place);
            format!("{}:{}:{}", located.file, place.line, place.column)
        };
        Places {
            schedule: place(&located.fields.schedule),
            time_zone: place(&located.fields.time_zone),
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
    let (kind, name) = match argument.split_once('/') {
        None => (None, argument),
        Some((kind, name)) => (Some(kind), name),
    };
    let is_other = |kind: &&str| !KINDS.contains(&kind.to_ascii_lowercase().as_str());
    match kind.filter(is_other) {
        None if !name.is_empty() => Ok(name),
        Some(kind) if !kind.is_empty() => bail!("{argument:?} names a {kind}, not a CronJob"),
        _ => bail!("{argument:?} names no CronJob: expected NAME, cronjob/NAME or cj/NAME"),
    }
}

/// Says what an answer goes without.
fn say(lack: &UnreadResource) {
    let (what, consequence) = match lack.what {
        ResourceKind::Jobs => (
            "Jobs",
            "what runs, what failed and what was late cannot be told",
        ),
        ResourceKind::Events => ("events", "what the controller recorded cannot be told"),
        ResourceKind::Pods => ("pods", "why a Job is stuck or failed cannot be told"),
    };
    warn(&format!("without {what}, {consequence}: {}", lack.reason));
}
