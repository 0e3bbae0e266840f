//! A `CronJob` with everything that is about it.

use std::collections::HashMap;

use super::pods::{prefix_of_job, prefixes_of_pod};
use super::runs::slot_in_name;
use crate::model::{CronJob, Event, Job, Pod};

/// A `CronJob` with the Jobs, pods and events that are about it, and no others: a cluster has tens
/// of thousands, and looking through all of them for each `CronJob` takes minutes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dossier {
    /// The `CronJob`.
    pub cron_job: CronJob,
    /// The Jobs that it owns, that its status names, or that have a name which it would give.
    pub jobs: Vec<Job>,
    /// The events about it, its Jobs and their pods.
    pub events: Vec<Event>,
    /// The pods of its Jobs.
    pub pods: Vec<Pod>,
}

/// What was read of a cluster or of files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sighting {
    /// Jobs.
    pub jobs: Vec<Job>,
    /// Events.
    pub events: Vec<Event>,
    /// Pods.
    pub pods: Vec<Pod>,
}

type Place = (String, String);

/// Lays each Job, pod and event to the `CronJob`s that it is about, in one pass. The dossiers are
/// in the order of the `CronJob`s; what is about none of them is dropped.
pub fn dossiers(cron_jobs: Vec<CronJob>, seen: Sighting) -> Vec<Dossier> {
    let mut dossiers: Vec<Dossier> = cron_jobs
        .into_iter()
        .map(|cron_job| Dossier {
            cron_job,
            ..Dossier::default()
        })
        .collect();
    let mut by_name: HashMap<Place, Vec<usize>> = HashMap::new();
    let mut by_active_job: HashMap<Place, Vec<usize>> = HashMap::new();
    for (index, dossier) in dossiers.iter().enumerate() {
        let cron_job = &dossier.cron_job;
        let place = (cron_job.namespace.clone(), cron_job.name.clone());
        by_name.entry(place).or_default().push(index);
        for active in &cron_job.status.active {
            let place = (cron_job.namespace.clone(), active.name.clone());
            by_active_job.entry(place).or_default().push(index);
        }
    }
    let mut by_job: HashMap<Place, Vec<usize>> = HashMap::new();
    let mut by_prefix: HashMap<Place, Vec<usize>> = HashMap::new();
    for job in seen.jobs {
        let at = |name: &str| (job.namespace.clone(), name.to_owned());
        let owners = job.owner_references.iter();
        let owners = owners.filter(|owner| owner.kind == "CronJob");
        let mut about: Vec<usize> = owners
            .filter_map(|owner| by_name.get(&at(&owner.name)))
            .chain(name_giver(&job.name).and_then(|giver| by_name.get(&at(giver))))
            .chain(by_active_job.get(&at(&job.name)))
            .flatten()
            .copied()
            .collect();
        about.sort_unstable();
        about.dedup();
        if !about.is_empty() {
            by_job.insert(at(&job.name), about.clone());
            let of_prefix = by_prefix.entry(at(&prefix_of_job(&job.name))).or_default();
            of_prefix.extend(&about);
            of_prefix.dedup();
        }
        give(&mut dossiers, &about, job, |dossier| &mut dossier.jobs);
    }
    let mut by_pod: HashMap<Place, Vec<usize>> = HashMap::new();
    for pod in seen.pods {
        let at = |name: &str| (pod.namespace.clone(), name.to_owned());
        let owner = pod
            .owner_references
            .iter()
            .find(|owner| owner.kind == "Job");
        let Some(about) = owner.and_then(|owner| by_job.get(&at(&owner.name))) else {
            continue;
        };
        by_pod.insert(at(&pod.name), about.clone());
        give(&mut dossiers, about, pod, |dossier| &mut dossier.pods);
    }
    for event in seen.events {
        let involved = &event.involved_object;
        let at = |name: &str| (involved.namespace.clone(), name.to_owned());
        let place = at(&involved.name);
        // Events outlive the pods that they are about.
        let of_deleted_pod =
            || prefixes_of_pod(&involved.name).find_map(|prefix| by_prefix.get(&at(prefix)));
        let about = match involved.kind.as_str() {
            "CronJob" => by_name.get(&place),
            "Job" => by_job.get(&place),
            "Pod" => by_pod.get(&place).or_else(of_deleted_pod),
            _ => None,
        };
        if let Some(about) = about {
            give(&mut dossiers, about, event, |dossier| &mut dossier.events);
        }
    }
    dossiers
}

/// The `CronJob` that would give a Job this name.
fn name_giver(job: &str) -> Option<&str> {
    let (giver, _) = job.rsplit_once('-')?;
    slot_in_name(giver, job).map(|_| giver)
}

/// Nearly everything is about one `CronJob`: only what is about more is copied.
fn give<T: Clone>(
    dossiers: &mut [Dossier],
    about: &[usize],
    thing: T,
    list: impl Fn(&mut Dossier) -> &mut Vec<T>,
) {
    let Some((last, others)) = about.split_last() else {
        return;
    };
    for index in others {
        if let Some(dossier) = dossiers.get_mut(*index) {
            list(dossier).push(thing.clone());
        }
    }
    if let Some(dossier) = dossiers.get_mut(*last) {
        list(dossier).push(thing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CronJobStatus, ObjectReference, OwnerReference};

    fn cron_job(namespace: &str, name: &str) -> CronJob {
        CronJob {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            ..CronJob::default()
        }
    }

    fn job(namespace: &str, name: &str, owner: Option<&str>) -> Job {
        Job {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            owner_references: owner.map(owned_by("CronJob")).into_iter().collect(),
            ..Job::default()
        }
    }

    fn owned_by(kind: &str) -> impl Fn(&str) -> OwnerReference {
        move |name| OwnerReference {
            kind: kind.to_owned(),
            name: name.to_owned(),
            ..OwnerReference::default()
        }
    }

    fn event(kind: &str, namespace: &str, name: &str) -> Event {
        Event {
            involved_object: ObjectReference {
                kind: kind.to_owned(),
                namespace: namespace.to_owned(),
                name: name.to_owned(),
                ..ObjectReference::default()
            },
            ..Event::default()
        }
    }

    fn names(dossier: &Dossier) -> Vec<&str> {
        dossier.jobs.iter().map(|job| job.name.as_str()).collect()
    }

    #[test]
    fn jobs_go_where_they_belong_by_owner_name_and_status() {
        let mut waiting = cron_job("shop", "waiting");
        waiting.status = CronJobStatus {
            active: vec![ObjectReference {
                name: "stray".to_owned(),
                ..ObjectReference::default()
            }],
            ..CronJobStatus::default()
        };
        let cron_jobs = vec![cron_job("shop", "a"), cron_job("ops", "a"), waiting];
        let jobs = vec![
            job("shop", "a-29000000", Some("a")),
            job("shop", "by-hand", Some("a")),
            job("ops", "a-29000001", None),
            job("shop", "stray", Some("gone")),
            job("shop", "unrelated-1x", None),
            job("shop", "a-29000002", Some("waiting")),
        ];
        let seen = Sighting {
            jobs,
            ..Sighting::default()
        };
        let dossiers = dossiers(cron_jobs, seen);
        assert_eq!(names(&dossiers[0]), ["a-29000000", "by-hand", "a-29000002"]);
        assert_eq!(names(&dossiers[1]), ["a-29000001"]);
        assert_eq!(names(&dossiers[2]), ["stray", "a-29000002"]);
    }

    #[test]
    fn events_follow_jobs_and_pods() {
        let pod = Pod {
            namespace: "shop".to_owned(),
            name: "a-29000000-xyz".to_owned(),
            owner_references: vec![owned_by("Job")("a-29000000")],
            ..Pod::default()
        };
        let seen = Sighting {
            jobs: vec![job("shop", "a-29000000", Some("a"))],
            pods: vec![pod],
            events: vec![
                event("CronJob", "shop", "a"),
                event("Job", "shop", "a-29000000"),
                event("Pod", "shop", "a-29000000-xyz"),
                event("CronJob", "ops", "a"),
                event("Pod", "shop", "a-29000000-gone1"),
                event("Pod", "shop", "a-29000000-3-gone2"),
                event("Pod", "shop", "a-29000001-gone3"),
                event("Pod", "shop", "other"),
                event("Node", "", "a"),
            ],
        };
        let dossiers = dossiers(vec![cron_job("shop", "a")], seen);
        assert_eq!(dossiers[0].pods.len(), 1);
        let about = dossiers[0].events.iter();
        let about: Vec<&str> = about.map(|e| e.involved_object.name.as_str()).collect();
        let expected = [
            "a",
            "a-29000000",
            "a-29000000-xyz",
            "a-29000000-gone1",
            "a-29000000-3-gone2",
        ];
        assert_eq!(about, expected);
    }
}
