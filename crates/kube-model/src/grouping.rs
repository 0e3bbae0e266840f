//! Assigns what was read to the `CronJob`s that it is about.

use std::collections::HashMap;
use std::sync::Arc;

use crate::{
    ConfigMap, CronJob, CronJobEvidence, Event, Job, Pod, RelatedObjects, ResourceQuota,
    cron_jobs_of, has_deadline, manual_origin, prefix_of_job, prefixes_of_pod, start_delays,
};

/// Lays each Job, pod and event to the `CronJob`s that it is about, in one pass. The evidence are
/// in the order of the `CronJob`s; what is about none of them is dropped.
pub fn evidence_by_cron_job(
    cron_jobs: Vec<CronJob>,
    mut seen: RelatedObjects,
) -> Vec<CronJobEvidence> {
    for pod in &mut seen.pods {
        pod.set_node(&seen.nodes);
    }
    let config_maps: Arc<[ConfigMap]> = seen.config_maps.into();
    let mut all_evidence: Vec<CronJobEvidence> = cron_jobs
        .into_iter()
        .map(|cron_job| CronJobEvidence {
            cron_job,
            config_maps: Arc::clone(&config_maps),
            ..CronJobEvidence::default()
        })
        .collect();
    let mut index = Index::of(&all_evidence);
    set_quotas(&mut all_evidence, seen.quotas, &seen.jobs);
    let about: Vec<Vec<usize>> = seen.jobs.iter().map(|job| index.about(job)).collect();
    let mut counts = vec![0; all_evidence.len()];
    for evidence in about.iter().flatten() {
        if let Some(count) = counts.get_mut(*evidence) {
            *count += 1;
        }
    }
    for (job, about) in giving_back(seen.jobs).zip(&about) {
        for number in about {
            if let (Some(evidence), Some(count)) =
                (all_evidence.get_mut(*number), counts.get(*number))
                && evidence.jobs.is_empty()
            {
                evidence.jobs.reserve_exact(*count);
            }
        }
        give(&mut all_evidence, about, job, |evidence| &mut evidence.jobs);
    }
    // Most surveys ask for events about CronJobs only; then the Jobs need not be found again.
    let mut kinds = seen.events.iter().map(|event| &event.involved_object.kind);
    if !seen.pods.is_empty() || kinds.any(|kind| kind != "CronJob") {
        for (number, evidence) in all_evidence.iter().enumerate() {
            for job in &evidence.jobs {
                index.add_job(job, number);
            }
        }
    }
    index.attach(&mut all_evidence, seen.pods, seen.events);
    set_start_delays(&mut all_evidence);
    all_evidence
}

/// Lays pods of Jobs, and events about both, to the `CronJob`s of those Jobs that are wanted. A list may have the pods of
/// others, too, and an answer does not depend on that.
pub fn add_pods(
    all_evidence: &mut [CronJobEvidence],
    pods: Vec<Pod>,
    events: Vec<Event>,
    is_wanted: impl Fn(&Job) -> bool,
) {
    let mut index = Index::default();
    for (number, evidence) in all_evidence.iter().enumerate() {
        for job in evidence.jobs.iter().filter(|job| is_wanted(job)) {
            index.add_job(job, number);
        }
    }
    index.attach(all_evidence, pods, events);
}

/// Lays the quotas that limit the number of Jobs to the `CronJob`s of their namespaces.
fn set_quotas(all_evidence: &mut [CronJobEvidence], quotas: Vec<ResourceQuota>, jobs: &[Job]) {
    let of_namespace = ResourceQuota::by_namespace(quotas);
    if of_namespace.is_empty() {
        return;
    }
    let mut unfinished: HashMap<&str, usize> = HashMap::new();
    for job in jobs.iter().filter(|job| job.ending().is_none()) {
        *unfinished.entry(&job.namespace).or_default() += 1;
    }
    for evidence in all_evidence {
        let namespace = evidence.cron_job.namespace.as_str();
        if let Some(quotas) = of_namespace.get(namespace) {
            evidence.quotas = Arc::clone(quotas);
            evidence.unfinished_in_namespace = unfinished.get(namespace).copied().unwrap_or(0);
        }
    }
}

/// Sets how late the Jobs of each scheduled time were created, if a `CronJob` has a deadline.
fn set_start_delays(all_evidence: &mut [CronJobEvidence]) {
    let delays = start_delays(all_evidence.iter());
    let limited = all_evidence.iter_mut();
    for evidence in limited.filter(|one| has_deadline(&one.cron_job)) {
        evidence.start_delays = Arc::clone(&delays);
    }
}

/// The items of a long list, whose memory is given back as it empties: what they are laid to grows
/// at the same pace.
fn giving_back<T>(mut items: Vec<T>) -> impl Iterator<Item = T> {
    items.reverse();
    std::iter::from_fn(move || {
        let item = items.pop();
        if items.len() * 4 < items.capacity() * 3 {
            items.shrink_to_fit();
        }
        item
    })
}

/// Which evidence something of a name is about, by `namespace/name`.
#[derive(Default)]
struct Index {
    cron_jobs: HashMap<String, Vec<usize>>,
    active_jobs: HashMap<String, Vec<usize>>,
    jobs: HashMap<String, Vec<usize>>,
    prefixes: HashMap<String, Vec<usize>>,
    pods: HashMap<String, Vec<usize>>,
}

fn key(namespace: &str, name: &str) -> String {
    format!("{namespace}/{name}")
}

fn find<'i>(index: &'i HashMap<String, Vec<usize>>, namespace: &str, name: &str) -> &'i [usize] {
    index.get(&key(namespace, name)).map_or(&[], Vec::as_slice)
}

impl Index {
    fn of(all_evidence: &[CronJobEvidence]) -> Self {
        let mut index = Index::default();
        for (number, evidence) in all_evidence.iter().enumerate() {
            let cron_job = &evidence.cron_job;
            let at = |name: &str| key(&cron_job.namespace, name);
            let of_name = index.cron_jobs.entry(at(&cron_job.name));
            of_name.or_default().push(number);
            for active in &cron_job.status.active {
                let of_job = index.active_jobs.entry(at(&active.name));
                of_job.or_default().push(number);
            }
        }
        index
    }

    fn about(&self, job: &Job) -> Vec<usize> {
        let mut about: Vec<usize> = cron_jobs_of(job)
            .flat_map(|name| find(&self.cron_jobs, &job.namespace, name))
            .chain(find(&self.active_jobs, &job.namespace, &job.name))
            .chain(self.made_from(job))
            .copied()
            .collect();
        about.sort_unstable();
        about.dedup();
        about
    }

    fn made_from(&self, job: &Job) -> &[usize] {
        let at = |name: &str| find(&self.cron_jobs, &job.namespace, name);
        let origin = manual_origin(job, |name| !at(name).is_empty());
        origin.map(at).unwrap_or_default()
    }

    fn add_job(&mut self, job: &Job, evidence: usize) {
        let of_name = self.jobs.entry(key(&job.namespace, &job.name));
        let of_name = of_name.or_default();
        let prefix = key(&job.namespace, &prefix_of_job(&job.name));
        let of_prefix = self.prefixes.entry(prefix).or_default();
        for of in [of_name, of_prefix] {
            if of.last() != Some(&evidence) {
                of.push(evidence);
            }
        }
    }

    fn attach(&mut self, all_evidence: &mut [CronJobEvidence], pods: Vec<Pod>, events: Vec<Event>) {
        for pod in pods {
            let about = self.about_pod(&pod);
            self.add_pod(&pod, &about);
            give(all_evidence, &about, pod, |evidence| &mut evidence.pods);
        }
        for event in events {
            let about = self.about_event(&event).to_vec();
            give(all_evidence, &about, event, |evidence| &mut evidence.events);
        }
    }

    fn about_pod(&self, pod: &Pod) -> Vec<usize> {
        let job = pod.owning_jobs().next();
        let about = job.map(|job| find(&self.jobs, &pod.namespace, job));
        about.unwrap_or_default().to_vec()
    }

    fn add_pod(&mut self, pod: &Pod, about: &[usize]) {
        self.pods
            .insert(key(&pod.namespace, &pod.name), about.to_vec());
    }

    fn about_event(&self, event: &Event) -> &[usize] {
        let involved = &event.involved_object;
        let at = |index| find(index, &involved.namespace, &involved.name);
        match involved.kind.as_str() {
            "CronJob" => at(&self.cron_jobs),
            "Job" => at(&self.jobs),
            "Pod" if !at(&self.pods).is_empty() => at(&self.pods),
            // Events outlive the pods that they are about.
            "Pod" => prefixes_of_pod(&involved.name)
                .map(|prefix| find(&self.prefixes, &involved.namespace, prefix))
                .find(|about| !about.is_empty())
                .unwrap_or_default(),
            _ => &[],
        }
    }
}

/// Nearly everything is about one `CronJob`: only what is about more is copied.
fn give<T: Clone>(
    all_evidence: &mut [CronJobEvidence],
    about: &[usize],
    thing: T,
    list: impl Fn(&mut CronJobEvidence) -> &mut Vec<T>,
) {
    let Some((last, others)) = about.split_last() else {
        return;
    };
    for index in others {
        if let Some(evidence) = all_evidence.get_mut(*index) {
            list(evidence).push(thing.clone());
        }
    }
    if let Some(evidence) = all_evidence.get_mut(*last) {
        list(evidence).push(thing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, cron_job, owner, pod};
    use crate::{ObjectReference, OwnerReference};

    /// A Job that may be owned, but is not controlled.
    fn job(namespace: &str, name: &str, cron_job: Option<&str>) -> Job {
        let owner = cron_job.map(|name| OwnerReference {
            controller: None,
            ..owner("CronJob", name)
        });
        Job {
            namespace: namespace.into(),
            owner_references: Arc::new(owner.into_iter().collect()),
            ..testing::job(name, "")
        }
    }

    fn reference(kind: &str, namespace: &str, name: &str) -> ObjectReference {
        ObjectReference {
            kind: kind.to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            ..ObjectReference::default()
        }
    }

    #[test]
    fn jobs_are_assigned_to_cronjobs_by_owner_name_and_status() {
        let mut waiting = cron_job("waiting");
        waiting.status.active = vec![reference("", "shop", "stray")];
        let in_ops = CronJob {
            namespace: "ops".to_owned(),
            ..cron_job("a")
        };
        let cron_jobs = vec![cron_job("a"), in_ops, waiting];
        let seen = RelatedObjects {
            jobs: vec![
                job("shop", "a-29000000", Some("a")),
                job("shop", "by-hand", Some("a")),
                job("ops", "a-29000001", None),
                job("shop", "stray", Some("gone")),
                job("shop", "unrelated-1x", None),
                job("shop", "a-29000002", Some("waiting")),
            ],
            ..RelatedObjects::default()
        };
        let all_evidence = evidence_by_cron_job(cron_jobs, seen);
        let names = all_evidence.iter().map(|evidence| {
            let names = evidence.jobs.iter().map(|job| job.name.as_str());
            names.collect::<Vec<_>>().join(" ")
        });
        let expected = [
            "a-29000000 by-hand a-29000002",
            "a-29000001",
            "stray a-29000002",
        ];
        assert_eq!(names.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn events_follow_jobs_and_pods() {
        let about = [
            ("CronJob", "shop", "a"),
            ("Job", "shop", "a-29000000"),
            ("Pod", "shop", "a-29000000-xyz"),
            ("CronJob", "ops", "a"),
            ("Pod", "shop", "a-29000000-gone1"),
            ("Pod", "shop", "a-29000000-3-gone2"),
            ("Pod", "shop", "a-29000001-gone3"),
            ("Pod", "shop", "other"),
            ("Node", "", "a"),
        ];
        let events = about.map(|(kind, namespace, name)| Event {
            involved_object: reference(kind, namespace, name),
            ..Event::default()
        });
        let seen = RelatedObjects {
            jobs: vec![job("shop", "a-29000000", Some("a"))],
            pods: vec![pod("a-29000000-xyz", "a-29000000")],
            events: events.into(),
            ..RelatedObjects::default()
        };
        let all_evidence = evidence_by_cron_job(vec![cron_job("a")], seen);
        assert_eq!(all_evidence[0].pods.len(), 1);
        let about = all_evidence[0].events.iter();
        let about: Vec<&str> = about.map(|e| e.involved_object.name.as_str()).collect();
        let expected = "a a-29000000 a-29000000-xyz a-29000000-gone1 a-29000000-3-gone2";
        assert_eq!(about.join(" "), expected);
    }
}
