//! If a CronJob was not found: the CronJob of a Job of that name, other namespaces, similar names, and events of a
//! CronJob that was deleted.

use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;

use super::EvidenceNote;
use cronjob_text::duration::local_time;
use cronjob_text::printable::printable;
use cronjob_text::spelling::meant;
use cronjob_text::words::{counted, plural, some_of};
use kube_model::{CronJob, Event, Job, RelatedObjects, prefix_of_job, prefixes_of_pod};
use kube_objects::snapshot::LocatedObject;

pub(super) struct InFiles<'a> {
    pub(super) cron_jobs: &'a [LocatedObject<CronJob>],
    /// The number of objects of each kind that is not used.
    pub(super) others: &'a BTreeMap<String, usize>,
    /// The selected namespace; `None` for all.
    pub(super) namespace: Option<&'a str>,
}

impl InFiles<'_> {
    /// The message that no CronJob has this name, with the one that was probably meant.
    pub(super) fn not_named(&self, name: &str, events: &[Event]) -> String {
        if let Some(message) = no_job_or_pod(name, "in the files") {
            return message;
        }
        let namesakes = self.cron_jobs().filter(|found| found.name == name);
        let namespaces = namespaces(namesakes);
        let place = self.namespace.map_or_else(String::new, |namespace| {
            format!(" in namespace {namespace:?}")
        });
        let or_meant = or_meant(&namespaces, || {
            let known = self.cron_jobs().filter(|found| self.counts(found));
            meant(name, known.map(|found| found.name.as_str()))
        });
        let existed = existed(name, self.namespace, events);
        format!("CronJob {name:?} not found in the files{place}{or_meant}{existed}")
    }

    /// Whether the files have CronJobs, and nothing at all in this namespace.
    pub(super) fn lacks_namespace(&self, name: &str, seen: &RelatedObjects) -> bool {
        let own = self.cron_jobs().map(|one| one.namespace.as_str());
        let own = own.chain(seen.jobs.iter().map(|one| &*one.namespace));
        let own = own.chain(seen.pods.iter().map(|one| one.namespace.as_str()));
        let mut all = own.chain(
            seen.events
                .iter()
                .map(|one| one.involved_object.namespace.as_str()),
        );
        !self.cron_jobs.is_empty() && all.all(|namespace| namespace != name)
    }

    /// The message that nothing is in this namespace.
    pub(super) fn no_namespace(&self, name: &str) -> String {
        let elsewhere = listed(&namespaces(self.cron_jobs()));
        format!("namespace {name:?} not found in the files, which contain CronJobs in {elsewhere}")
    }

    /// What the files contain instead, if no CronJob was selected.
    pub(super) fn instead(&self) -> Option<String> {
        let elsewhere = self.cron_jobs().filter(|found| !self.counts(found));
        let elsewhere = namespaces(elsewhere);
        let all = self.cron_jobs.len();
        if !elsewhere.is_empty() {
            return Some(format!(
                "the files contain CronJobs in {}",
                listed(&elsewhere)
            ));
        }
        if all > 0 {
            return Some(format!(
                "the files contain {}, but none that matches the selector",
                counted(all, "CronJob")
            ));
        }
        let others = self.others.iter();
        let others = others.map(|(kind, count)| format!("{count} {}", printable(kind)));
        let others: Vec<String> = others.collect();
        (!others.is_empty()).then(|| format!("the files contain {}", some_of(&others, FEW)))
    }

    fn cron_jobs(&self) -> impl Iterator<Item = &CronJob> {
        self.cron_jobs.iter().map(|located| &located.object)
    }

    fn counts(&self, cron_job: &CronJob) -> bool {
        let namespace = self.namespace;
        namespace.is_none_or(|namespace| cron_job.namespace == namespace)
    }
}

/// The prefix of a name that is certainly that of a Job.
pub(crate) const JOB: &str = "job/";

/// The name of the CronJob in that of a Job that the controller created: `nightly-29923084`.
fn cron_job_of(job: &str) -> Option<&str> {
    let (cron_job, minutes) = job.rsplit_once('-')?;
    let is_number = minutes.len() >= 8 && minutes.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !cron_job.is_empty()).then_some(cron_job)
}

/// The message that a Job or a pod was not found, with the CronJob whose Job had this name; `None` if the name is not
/// certainly that of one.
pub(super) fn no_job_or_pod(name: &str, place: &str) -> Option<String> {
    let (kind, name) = job_or_pod(name)?;
    let job = match kind {
        "Job" => Some(name),
        _ => prefixes_of_pod(name)
            .next()
            .map(|prefix| prefix.trim_end_matches('-')),
    };
    let meant = job.and_then(cron_job_of);
    let meant = meant.map_or_else(String::new, |meant| format!("; did you mean {meant}?"));
    Some(format!(
        "no {kind} {name:?} of a CronJob found {place}{meant}"
    ))
}

/// `Job` or `pod` and its name, if a name is certainly that of one.
fn job_or_pod(name: &str) -> Option<(&'static str, &str)> {
    let job = name.strip_prefix(JOB).map(|name| ("Job", name));
    job.or_else(|| Some(("pod", name.strip_prefix(POD)?)))
}

/// The prefix of a name that is certainly that of a pod.
pub(crate) const POD: &str = "pod/";

/// The names with that of its CronJob in place of each Job's and each pod's, which notes say; `None` if none is one of
/// these.
pub(super) fn with_owners(
    names: &[String],
    is_cron_job: impl Fn(&str) -> bool,
    jobs: &[Job],
    notes: &mut Vec<EvidenceNote>,
) -> Option<Vec<String>> {
    let owner = |name: &String| {
        let (job, pod) = (name.strip_prefix(JOB), name.strip_prefix(POD));
        let is_plain = job.is_none() && pod.is_none();
        if is_plain && is_cron_job(name) {
            return None;
        }
        let named = |job: &&str| jobs.iter().find(|one| one.name == **job);
        let of_pod = |pod: &&str| {
            let mut prefixes = prefixes_of_pod(pod);
            prefixes.find_map(|own| jobs.iter().find(|job| prefix_of_job(&job.name) == own))
        };
        let plain = Some(name.as_str()).filter(|_| is_plain);
        let job = job
            .or(plain)
            .as_ref()
            .and_then(named)
            .map(|job| ("Job", job));
        let pod = pod.or(plain);
        let found = job.or_else(|| pod.as_ref().and_then(of_pod).map(|job| ("pod", job)));
        let (kind, owner) = found.and_then(|(kind, job)| Some((kind, job.owner()?)))?;
        let name = name.trim_start_matches(JOB).trim_start_matches(POD);
        let note = format!("{name} is a {kind} of CronJob {owner}.");
        Some((owner.to_owned(), EvidenceNote::Info(note)))
    };
    let owners: Vec<Option<(String, EvidenceNote)>> = names.iter().map(owner).collect();
    if owners.iter().all(Option::is_none) {
        return None;
    }
    let mut replaced: Vec<String> = Vec::new();
    for (name, owner) in names.iter().zip(owners) {
        let name = match owner {
            Some((owner, note)) => {
                notes.push(note);
                owner
            }
            None => name.clone(),
        };
        if !replaced.contains(&name) {
            replaced.push(name);
        }
    }
    Some(replaced)
}

/// That the events of a CronJob show that it existed; nothing if there are none.
pub(super) fn existed(name: &str, namespace: Option<&str>, events: &[Event]) -> String {
    let events = events.iter().filter(|event| {
        let about = &event.involved_object;
        about.kind == "CronJob"
            && about.name == name
            && namespace.is_none_or(|namespace| namespace == about.namespace)
    });
    let last = events.filter_map(Event::last_seen).max();
    last.map_or_else(String::new, |last| {
        let last = local_time(last, &TimeZone::UTC, "UTC");
        format!("; its events show that it existed until {last} or later")
    })
}

/// The namespaces with a CronJob of that name, or else a similar name.
pub(super) fn or_meant(
    namespaces: &BTreeSet<&str>,
    meant: impl FnOnce() -> Option<String>,
) -> String {
    if !namespaces.is_empty() {
        return format!("; there is one in {}", listed(namespaces));
    }
    let meant = meant();
    meant.map_or_else(String::new, |meant| {
        format!("; did you mean {}?", printable(&meant))
    })
}

fn namespaces<'c>(cron_jobs: impl Iterator<Item = &'c CronJob>) -> BTreeSet<&'c str> {
    cron_jobs
        .map(|cron_job| cron_job.namespace.as_str())
        .collect()
}

/// `namespace "ops"`, or several of them.
fn listed(namespaces: &BTreeSet<&str>) -> String {
    let names: Vec<String> = namespaces.iter().map(|name| format!("{name:?}")).collect();
    let s = plural(names.len(), "", "s");
    format!("namespace{s} {}", some_of(&names, FEW))
}

/// The most names that are listed.
const FEW: usize = 4;
