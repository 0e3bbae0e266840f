//! Reads CronJobs and their evidence from files.

use std::io::Read;
use std::path::PathBuf;

use super::elsewhere::{InFiles, with_owners};
use super::{
    Basis, EvidenceError, EvidenceNote, EvidenceQuery, FieldPlaces, ReadWorld, SelectedCronJob,
    Selectors, World,
};
use cronjob_diagnosis::diagnose::Beside;
use kube_model::{
    Coverage, CronJob, RelatedObjects, ResourceKind, UnreadResource, evidence_by_cron_job,
};
use kube_objects::query::PodSelection;
use kube_objects::snapshot::{self, Evidence, LocatedObject, Options, Written};

pub(crate) struct Files<'a> {
    pub(crate) paths: &'a [PathBuf],
    pub(crate) recursive: bool,
}

/// Reads the selected CronJobs from files. Also returns what the files contain instead, if none is
/// selected.
pub(crate) fn read_files(
    basis: Basis,
    files: &Files<'_>,
    query: &EvidenceQuery,
    stdin: &mut dyn Read,
    notes: &mut Vec<EvidenceNote>,
) -> Result<(ReadWorld, Option<String>), EvidenceError> {
    let wanted = &query.wanted;
    let selectors = Selectors::of(wanted)?;
    let usual = wanted.namespace.as_ref();
    let namespace = usual.filter(|_| !query.all_namespaces);
    let options = Options {
        recursive: files.recursive,
        namespace: usual
            .cloned()
            .unwrap_or_else(|| Options::default().namespace),
        keep_objects: matches!(wanted.pods, PodSelection::OfUnsettled | PodSelection::OfAll),
        ..Options::default()
    };
    let (mut evidence, errors) = snapshot::read(files.paths, &options, stdin);
    let problems = errors.iter().map(ToString::to_string);
    notes.extend(problems.map(EvidenceNote::Error));
    let unread = evidence.unread.iter().map(ToString::to_string);
    let warnings = evidence.warnings.iter().map(ToString::to_string);
    notes.extend(unread.chain(warnings).map(EvidenceNote::Warning));
    let seen = evidence.take_related();
    let Evidence {
        mut cron_jobs,
        mut scheduled,
        skipped,
        ..
    } = evidence;
    let all = cron_jobs.iter().map(|located| &located.object);
    let coverage = Coverage::of_files(all, &seen, basis.now);
    for located in &mut cron_jobs {
        located.object.assume_created(basis.now);
    }
    let is_cron_job = |name: &str| {
        let mut known = cron_jobs.iter();
        known.any(|found| found.object.name == name)
    };
    let owners = with_owners(&wanted.names, is_cron_job, &seen.jobs, notes);
    let names = owners.unwrap_or_else(|| wanted.names.clone());
    let is_wanted = |cron_job: &CronJob| {
        let in_namespace = namespace.is_none_or(|namespace| cron_job.namespace == *namespace);
        let named = names.is_empty() || names.contains(&cron_job.name);
        in_namespace && named && selectors.choose(cron_job)
    };
    let mut complete = errors.is_empty();
    let in_files = InFiles {
        cron_jobs: &cron_jobs,
        others: &skipped,
        namespace: namespace.map(String::as_str),
    };
    for name in &names {
        let is_it =
            |found: &LocatedObject<CronJob>| found.object.name == *name && is_wanted(&found.object);
        if !cron_jobs.iter().any(is_it) {
            notes.push(EvidenceNote::Error(in_files.not_named(name, &seen.events)));
            complete = false;
        }
    }
    let is_empty = |namespace: &&String| {
        let mut others = scheduled.iter();
        in_files.lacks_namespace(namespace, &seen)
            && others.all(|object| object.namespace != **namespace)
    };
    if let Some(name) = namespace.filter(|_| names.is_empty()).filter(is_empty) {
        notes.push(EvidenceNote::Error(in_files.no_namespace(name)));
        complete = false;
    }
    scheduled.retain(|object| {
        let in_namespace = namespace.is_none_or(|namespace| object.namespace == *namespace);
        let chosen = selectors.choose_named(&object.labels, &object.namespace, &object.name);
        query.needs.kinds.contains(object.kind) && in_namespace && chosen
    });
    let is_any = cron_jobs.iter().any(|located| is_wanted(&located.object));
    let instead = if is_any { None } else { in_files.instead() };
    let mut lacks = Vec::new();
    if wanted.jobs && !coverage.jobs_read && is_any {
        lacks.push(UnreadResource {
            what: ResourceKind::Jobs,
            reason: "the files contain no Jobs".to_owned(),
            is_forbidden: false,
        });
    }
    let all = with_evidence(cron_jobs, seen).into_iter();
    let (cron_jobs, others): (Vec<_>, Vec<_>) =
        all.partition(|one| is_wanted(&one.evidence.cron_job));
    let others = others.into_iter().map(|one| one.evidence);
    let beside = Beside::of_files(others.collect());
    let world = World {
        basis,
        cron_jobs,
        scheduled,
        coverage,
        complete,
        not_found: Vec::new(),
        lacks,
        namespace: namespace.cloned(),
    };
    Ok((ReadWorld { world, beside }, instead))
}

/// The CronJobs with what the files show about each.
fn with_evidence(
    cron_jobs: Vec<LocatedObject<CronJob>>,
    seen: RelatedObjects,
) -> Vec<SelectedCronJob> {
    let places: Vec<FieldPlaces> = cron_jobs.iter().map(FieldPlaces::of).collect();
    let cron_jobs = cron_jobs.into_iter().map(|located| located.object);
    let all_evidence = evidence_by_cron_job(cron_jobs.collect(), seen);
    let pairs = all_evidence.into_iter().zip(places);
    let selected = pairs.map(|(evidence, places)| SelectedCronJob {
        evidence,
        places: Some(places),
    });
    selected.collect()
}

impl FieldPlaces {
    fn of(located: &LocatedObject<CronJob>) -> Self {
        let place = |field: &Option<Written>| {
            let place = field
                .as_ref()
                .map_or(located.place, |written| written.place);
            format!("{}:{}:{}", located.file, place.line, place.column)
        };
        FieldPlaces {
            schedule: place(&located.fields.schedule),
            time_zone: place(&located.fields.time_zone),
        }
    }
}
