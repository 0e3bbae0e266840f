//! What the API servers of other releases say, and what they say of changes. Worked by hand from
//! `validateCronJobSpec`, `validateScheduleFormat`, `validateTimeZone` and the warnings of
//! `cronJobStrategy` in kubernetes/kubernetes; 1.36 answered for itself in `validation_vectors.rs`.

use cronjob_doctor::controller::Release;
use cronjob_doctor::controller::validation::{Validation, validate_create, validate_update};
use cronjob_doctor::model::{ConcurrencyPolicy, CronJob, CronJobSpec};
use cronjob_doctor::schedule::BundledZones;
use serde_json::json;
use std::sync::Arc;

fn nightly(schedule: &str) -> CronJob {
    let pod = json!({"restartPolicy": "Never"});
    CronJob {
        name: "nightly".to_owned(),
        spec: CronJobSpec {
            schedule: schedule.to_owned(),
            job_template: Arc::new(json!({"spec": {"template": {"spec": pod}}})),
            ..CronJobSpec::default()
        },
        ..CronJob::default()
    }
}

fn zoned(schedule: &str, zone: &str) -> CronJob {
    let mut cron_job = nightly(schedule);
    cron_job.spec.time_zone = Some(zone.to_owned());
    cron_job
}

fn release(version: &str) -> Release {
    version.parse().unwrap()
}

fn create(version: &str, cron_job: &CronJob) -> Validation {
    validate_create(cron_job, release(version), &BundledZones)
}

fn update(version: &str, old: &CronJob, new: &CronJob) -> Validation {
    validate_update(old, new, release(version), &BundledZones)
}

fn errors(answer: &Validation) -> Vec<String> {
    answer.errors.iter().map(ToString::to_string).collect()
}

const IN_SCHEDULE: &str = "TZ=Europe/Berlin 0 2 * * *";
const BOTH: &str = "spec.schedule: Invalid value: \"TZ=Europe/Berlin 0 2 * * *\": \
                    cannot use both timeZone field and TZ or CRON_TZ in schedule";
const REFUSED: &str = "spec.schedule: Invalid value: \"TZ=Europe/Berlin 0 2 * * *\": \
                       cannot use TZ or CRON_TZ in schedule, use timeZone field instead";

#[test]
fn a_zone_in_the_schedule_by_release() {
    let cron_job = nightly(IN_SCHEDULE);
    assert_eq!(
        errors(&create("1.21", &cron_job)),
        [
            "spec.schedule: Invalid value: \"TZ=Europe/Berlin 0 2 * * *\": \
          Expected exactly 5 fields, found 6: TZ=Europe/Berlin 0 2 * * *"
        ]
    );
    assert_eq!(create("1.22", &cron_job), Validation::default());
    let answer = create("1.28", &cron_job);
    assert_eq!(answer.errors, []);
    assert_eq!(
        answer.warnings,
        [
            "CRON_TZ or TZ used in spec.spec.schedule is not officially supported, see \
          https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
        ]
    );
    assert_eq!(errors(&create("1.29", &cron_job)), [REFUSED]);
}

#[test]
fn a_zone_in_both_places_by_release() {
    let cron_job = zoned(IN_SCHEDULE, "Europe/Berlin");
    // There is no such field yet, so that it is dropped.
    assert_eq!(errors(&create("1.24", &cron_job)), [""; 0]);
    assert_eq!(errors(&create("1.25", &cron_job)), [BOTH]);
    assert_eq!(errors(&create("1.29", &cron_job)), [REFUSED]);
}

/// What had `TZ` may keep it, and even change it; what had none may not get it.
#[test]
fn a_zone_in_the_schedule_may_stay() {
    let (plain, zoned_inside) = (nightly("0 2 * * *"), nightly(IN_SCHEDULE));
    let answer = update("1.36", &zoned_inside, &nightly("TZ=UTC 0 3 * * *"));
    assert_eq!(answer.errors, []);
    assert_eq!(
        answer.warnings,
        [
            "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see \
          https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
        ]
    );
    assert_eq!(errors(&update("1.36", &plain, &zoned_inside)), [REFUSED]);
    let both = zoned(IN_SCHEDULE, "Europe/Berlin");
    assert_eq!(errors(&update("1.36", &zoned_inside, &both)), [BOTH]);
}

/// `TZ=` without a blank: no schedule at all up to 1.21, the end of the request up to 1.34, and two
/// errors since.
#[test]
fn the_panic_of_the_parser_by_release() {
    let cron_job = nightly("TZ=UTC");
    let expected = "spec.schedule: Invalid value: \"TZ=UTC\": \
                    Expected exactly 5 fields, found 1: TZ=UTC";
    assert_eq!(errors(&create("1.21", &cron_job)), [expected]);
    for version in ["1.22", "1.28", "1.34"] {
        let answer = create(version, &cron_job);
        assert!(answer.panics && answer.errors.is_empty(), "{version}");
    }
    let answer = create("1.35", &cron_job);
    assert!(!answer.panics);
    assert_eq!(
        errors(&answer),
        [
            "spec.schedule: Invalid value: \"TZ=UTC\": invalid schedule format: runtime error: \
             slice bounds out of range [:-1]",
            "spec.schedule: Invalid value: \"TZ=UTC\": cannot use TZ or CRON_TZ in schedule, use \
             timeZone field instead",
        ]
    );
}

/// `local` is unknown to the database; up to 1.26 nobody looked at the characters first.
#[test]
fn time_zones_by_release() {
    let invalid = |zone: &str, detail: &str| {
        vec![format!(
            "spec.timeZone: Invalid value: \"{zone}\": {detail}"
        )]
    };
    let dots = zoned("0 2 * * *", "../UTC");
    assert_eq!(errors(&create("1.24", &dots)), [""; 0]);
    assert_eq!(
        errors(&create("1.27", &dots)),
        invalid("../UTC", "unknown time zone ../UTC")
    );
    let detail = "time: invalid location name";
    assert_eq!(errors(&create("1.26", &dots)), invalid("../UTC", detail));
    let detail = "timeZone must be nil or non-empty string";
    assert_eq!(
        errors(&create("1.25", &zoned("0 2 * * *", ""))),
        invalid("", detail)
    );
}

#[test]
fn a_time_zone_is_asked_for_only_when_it_changes() {
    let (old, new) = (
        zoned("0 2 * * *", "Mars/Base"),
        zoned("0 3 * * *", "Mars/Base"),
    );
    assert_eq!(update("1.36", &old, &new), Validation::default());
    assert_eq!(update("1.36", &nightly("0 2 * * *"), &new).errors.len(), 1);
}

/// The schedule is read again with every change, the name with none.
#[test]
fn what_a_change_is_asked_for() {
    let mut old = nightly("0 0 * * 7");
    old.name = "Nightly.".to_owned() + &"x".repeat(60);
    let mut new = old.clone();
    new.spec.suspend = Some(true);
    assert_eq!(
        errors(&update("1.36", &old, &new)),
        ["spec.schedule: Invalid value: \"0 0 * * 7\": end of range (7) above maximum (6): 7"]
    );
    assert_eq!(create("1.36", &new).errors.len(), 3);
}

#[test]
fn names_by_release() {
    let mut cron_job = nightly("0 2 * * *");
    cron_job.name = "x".repeat(60) + ".y";
    assert_eq!(create("1.8", &cron_job), Validation::default());
    let limit = format!(
        "metadata.name: Invalid value: \"{}\": must be no more than 52 characters",
        cron_job.name
    );
    assert_eq!(errors(&create("1.9", &cron_job)), [limit]);
    cron_job.name = "nightly.report".to_owned();
    assert_eq!(create("1.26", &cron_job).warnings, [""; 0]);
    assert_eq!(
        create("1.27", &cron_job).warnings,
        [
            "metadata.name: this is used in Pod names and hostnames, which can result in surprising \
          behavior; a DNS label is recommended: [must not contain dots]"
        ]
    );
    cron_job.name = "Nightly".to_owned();
    let answer = create("1.19", &cron_job);
    let rest = "metadata.name: Invalid value: \"Nightly\": a DNS-1123 subdomain must consist of ";
    assert!(errors(&answer)[0].starts_with(rest), "{answer:?}");
}

#[test]
fn restart_policies_by_release() {
    let mut cron_job = nightly("0 2 * * *");
    cron_job.spec.job_template =
        Arc::new(json!({"spec": {"selector": {"matchLabels": {"a": "b"}}}}));
    assert_eq!(
        errors(&create("1.21", &cron_job)),
        [
            "spec.jobTemplate.spec.template.spec.restartPolicy: Unsupported value: \"Always\": \
             supported values: \"OnFailure\", \"Never\"",
            "spec.jobTemplate.spec.selector: Invalid value: v1.LabelSelector{MatchLabels:\
             map[string]string{\"a\":\"b\"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: \
             `selector` will be auto-generated",
        ]
    );
    assert_eq!(
        errors(&create("1.36", &cron_job)),
        [
            "spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: \
             \"OnFailure\", \"Never\"",
            "spec.jobTemplate.spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"b\"}}: \
             `selector` will be auto-generated",
        ]
    );
}

/// The empty policy is replaced by the default before it is checked.
#[test]
fn the_empty_policy_is_the_default() {
    let mut cron_job = nightly("0 2 * * *");
    cron_job.spec.concurrency_policy = ConcurrencyPolicy::from("");
    assert_eq!(create("1.36", &cron_job), Validation::default());
    cron_job.spec.concurrency_policy = ConcurrencyPolicy::from("forbid");
    assert_eq!(
        errors(&create("1.36", &cron_job)),
        ["spec.concurrencyPolicy: Unsupported value: \"forbid\": \
          supported values: \"Allow\", \"Forbid\", \"Replace\""]
    );
}
