//! Which objects are evidence of which `CronJob`.

use cronjob_doctor::evidence::evidence_by_cron_job;
use kube_model::{CronJob, Event, Job, ObjectReference, OwnerReference, Pod, RelatedObjects};
use std::sync::Arc;

use crate::support::model::{cron_job, owner, reference};

/// A Job that may be owned, but is not controlled.
fn job(namespace: &str, name: &str, cron_job: Option<&str>) -> Job {
    let owner = cron_job.map(|name| OwnerReference {
        controller: None,
        ..owner("CronJob", name, "")
    });
    Job {
        namespace: namespace.into(),
        name: name.to_owned(),
        owner_references: Arc::new(owner.into_iter().collect()),
        ..Job::default()
    }
}

#[test]
fn jobs_are_assigned_to_cronjobs_by_owner_name_and_status() {
    let mut waiting = cron_job("waiting", "@daily");
    waiting.status.active = vec![reference("", "stray", "")];
    let in_ops = CronJob {
        namespace: "ops".to_owned(),
        ..cron_job("a", "@daily")
    };
    let cron_jobs = vec![cron_job("a", "@daily"), in_ops, waiting];
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
    let about = "\
CronJob shop/a
Job shop/a-29000000
Pod shop/a-29000000-xyz
CronJob ops/a
Pod shop/a-29000000-gone1
Pod shop/a-29000000-3-gone2
Pod shop/a-29000001-gone3
Pod shop/other
Node /a";
    let events = about.lines().map(|line| {
        let (kind, object) = line.split_once(' ').unwrap();
        let (namespace, name) = object.split_once('/').unwrap();
        let involved_object = ObjectReference {
            namespace: namespace.to_owned(),
            ..reference(kind, name, "")
        };
        Event {
            involved_object,
            ..Event::default()
        }
    });
    let pod = Pod {
        namespace: "shop".to_owned(),
        name: "a-29000000-xyz".to_owned(),
        owner_references: vec![owner("Job", "a-29000000", "")],
        ..Pod::default()
    };
    let seen = RelatedObjects {
        jobs: vec![job("shop", "a-29000000", Some("a"))],
        pods: vec![pod],
        events: events.collect(),
        ..RelatedObjects::default()
    };
    let all_evidence = evidence_by_cron_job(vec![cron_job("a", "@daily")], seen);
    assert_eq!(all_evidence[0].pods.len(), 1);
    let about = all_evidence[0].events.iter();
    let about: Vec<&str> = about.map(|e| e.involved_object.name.as_str()).collect();
    let expected = "a a-29000000 a-29000000-xyz a-29000000-gone1 a-29000000-3-gone2";
    assert_eq!(about.join(" "), expected);
}
