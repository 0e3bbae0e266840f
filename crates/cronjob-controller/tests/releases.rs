//! Which versions are read, and what changed with them.

use cronjob_controller::controller::{
    Behavior, Children, Cleanup, JobEnds, MissedCause, Model, NameTaken, ROWS, Release, ZonePrefix,
    checked_releases,
};
use kube_cron::Dialect;

use crate::support::recorded::controller;

fn parsed(text: &str) -> String {
    let release = text.parse::<Release>();
    release.map_or_else(|error| error.to_string(), |release| release.to_string())
}

#[test]
fn versions_are_read_as_vendors_write_them() {
    for (text, release) in [
        ("1.36", "1.36"),
        ("v1.30.4-eks-a737599", "1.30.4"),
        ("1.31+", "1.31"),
        ("v1.29.6-gke.100", "1.29.6"),
        ("1.38.0-alpha.2", "1.38.0"),
    ] {
        assert_eq!(parsed(text), release);
    }
    for text in ",1,2.0,1.x,1.+3,1.2.3.4,1..2,latest,1.99999999999".split(',') {
        let expected = format!(
            "'{text}' is not a valid Kubernetes version: must be 1.N or 1.N.P, such as 1.37"
        );
        assert_eq!(parsed(text), expected);
    }
    let too_old = "Kubernetes 1.3 does not have CronJobs: they were added in 1.4";
    assert_eq!(parsed("1.3"), too_old);
}

#[test]
fn every_checked_release_is_read_and_the_newest_of_them_is_assumed() {
    let table = include_str!("../src/controller/checked.txt");
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    assert_eq!(checked_releases().count(), rows.count());
    assert!(checked_releases().all(|row| row.cells.len() == 3));
    assert_eq!(Release::newest_checked().to_string(), "1.36");
    let is_unknown = |text: &str| text.parse::<Release>().unwrap().is_beyond_newest();
    assert_eq!(
        ["1.36.9", "1.37.2", "1.38.0"].map(is_unknown),
        [false, false, true]
    );
    let is_beyond = |text: &str| text.parse::<Release>().unwrap().is_beyond_checked();
    assert_eq!(
        ["1.35.9", "1.36.9", "1.37.0"].map(is_beyond),
        [false, false, true]
    );
}

/// Since 1.6 times that are past the deadline do not count, so that `@every` counts from the deadline before the sync.
#[test]
fn deadline_leaves_time_to_start() {
    let has_time = |release: &str, schedule: &str, deadline: Option<i64>| {
        let mut cron_job = crate::support::model::cron_job("a", schedule);
        cron_job.spec.starting_deadline_seconds = deadline;
        controller(release).has_time_to_start(&cron_job.spec)
    };
    for release in ["1.20", "1.36"] {
        assert!(has_time(release, "0 * * * *", None));
        assert!(has_time(release, "0 * * * *", Some(1)));
        assert!(!has_time(release, "0 * * * *", Some(0)));
        assert!(has_time(release, "@every 1m", Some(60)));
        assert!(has_time(release, "@every 1m", Some(61)));
    }
    assert!(has_time("1.5", "@every 1m", Some(59)));
    assert!(!has_time("1.6", "@every 1m", Some(59)));
    assert!(!has_time("1.36", "@every 1m", Some(59)));
}

#[test]
fn rows_are_in_order_and_begin_with_the_oldest_release() {
    assert!(ROWS.is_sorted_by_key(|(since, _)| *since));
    assert_eq!(ROWS[0].0, (4, 0));
}

#[test]
fn cron_library_and_time_zone_field_are_those_of_the_release() {
    let behavior = |text: &str| -> Behavior { text.parse::<Release>().unwrap().behavior() };
    assert_eq!(behavior("1.21.14").dialect, Dialect::V1_1);
    for release in ["1.22", "v1.30.4-eks-a737599"] {
        assert_eq!(behavior(release).dialect, Dialect::V3_0);
    }
    assert!(!behavior("1.24.17").time_zone_field);
    assert!(behavior("1.25.0").time_zone_field);
    let tutorial = Model::Kubebuilder.behavior(Release::NEWEST);
    let expected = (Dialect::V1_2, false);
    assert_eq!((tutorial.dialect, tutorial.time_zone_field), expected);
}

#[test]
fn documents_name_the_controller_of_the_release() {
    let name = |model: Model, release: &str| model.name(release.parse().unwrap());
    assert_eq!(name(Model::Kubernetes, "1.20"), "v1");
    assert_eq!(name(Model::Kubernetes, "1.21"), "v2");
    assert_eq!(name(Model::Kubebuilder, "1.36"), "kubebuilder");
}

#[test]
fn causes_are_those_that_evidence_or_simulations_can_lead_to() {
    let evidence = MissedCause::in_evidence();
    assert_eq!(
        (evidence.first(), evidence.last()),
        (Some(&"suspended"), Some(&"unknown"))
    );
    assert!(evidence.contains(&"backfilled") && !evidence.contains(&"outage"));
    let simulated = MissedCause::in_simulations();
    assert_eq!(simulated.last(), Some(&None));
    for (cause, is_simulated) in [
        ("forbid", true),
        ("outage", true),
        ("backfilled", false),
        ("unknown", false),
    ] {
        assert_eq!(simulated.contains(&Some(cause)), is_simulated, "{cause}");
    }
    assert_eq!(MissedCause::NotAwake.in_words(), "no sync");
    assert_eq!(MissedCause::Outage.in_words(), "outage");
}

/// Whether a release behaves in a way.
type Trait = fn(&Behavior) -> bool;

/// From the pull requests that the README of the crate names.
#[test]
fn each_change_of_behavior_begins_with_its_release() {
    let behavior = |text: &str| -> Behavior { text.parse::<Release>().unwrap().behavior() };
    let changes: [(&str, &str, Trait); 20] = [
        ("1.5", "1.6", |it| it.requests.sync == 2),
        ("1.5", "1.6", |it| {
            it.wording
                .too_many_listed
                .starts_with("Too many missed start time (> 100).")
        }),
        ("1.5", "1.6", |it| {
            it.wording.unparseable_listed == "Unparseable schedule"
        }),
        ("1.10", "1.11", |it| {
            it.wording
                .too_many_listed
                .starts_with("too many missed start time (> 100).")
        }),
        ("1.10", "1.11", |it| {
            it.wording.unparseable_listed == "unparseable schedule"
        }),
        ("1.14", "1.15", |it| it.wording.completed == "status"),
        ("1.20", "1.21", |it| it.children == Children::Name),
        ("1.20", "1.21", |it| it.name_taken == NameTaken::Retries),
        ("1.20", "1.21", |it| {
            it.wording.invalid == "invalid schedule schedule"
        }),
        ("1.20", "1.21", |it| it.cleanup == Cleanup::AfterSuccess),
        ("1.21", "1.22", |it| it.zone_prefix == ZonePrefix::Accepted),
        ("1.23", "1.24", |it| it.requests.sync == 0),
        ("1.27.7", "1.28", |it| it.annotates_scheduled_time),
        ("1.27.7", "1.27.8", |it| {
            it.name_taken == NameTaken::MeansToAdopt
        }),
        ("1.28.2", "1.28.3", |it| {
            it.name_taken == NameTaken::MeansToAdopt
        }),
        ("1.28.9", "1.29", |it| it.zone_prefix == ZonePrefix::Refused),
        ("1.30", "1.31", |it| it.job_ends == JobEnds::WithLastPod),
        ("1.30", "1.31", |it| it.wording.completed == "condition"),
        ("1.36", "1.37", |it| it.name_taken == NameTaken::Adopts),
        ("1.36", "1.37", |it| it.children == Children::Uid),
    ];
    for (before, since, changed) in changes {
        assert!(
            !changed(&behavior(before)),
            "{before}, which is before {since}"
        );
        assert!(changed(&behavior(since)), "{since}");
    }
}

/// Since 1.31 a Job ends with its last pod, also that of another controller.
#[test]
fn jobs_of_the_book_end_as_the_cluster_ends_them() {
    let ends = |release: &str| {
        let release = release.parse().unwrap();
        Model::Kubebuilder.behavior(release).job_ends
    };
    assert_eq!(ends("1.30"), JobEnds::WithVerdict);
    assert_eq!(ends("1.31"), JobEnds::WithLastPod);
}
