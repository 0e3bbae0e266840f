//! Jobs that a container keeps from finishing: the example with one change.

use cronjob_diagnosis::diagnose::{Finding, Severity};
use kube_model::{
    ConcurrencyPolicy, ContainerEnd, ContainerKind, ContainerReason, ContainerRestarts,
    ContainerStatus, Job, Pod,
};

use jiff::SignedDuration;

use super::pods::{CRASHES, at, changed, detail, end, remedy, silent};
use super::{Example, codes, example};

const HELD: &str = "held-by-sidecar";

fn main(example: &mut Example) -> &mut ContainerStatus {
    &mut example.evidence.pods[0].containers[0]
}

fn proxy(example: &mut Example) -> &mut ContainerStatus {
    &mut example.evidence.pods[0].containers[1]
}

/// A container that is not known as a sidecar runs instead of the proxy.
fn unknown(example: &mut Example) {
    "worker".clone_into(&mut proxy(example).name);
    "registry.example.com/worker:2".clone_into(&mut proxy(example).image);
}

fn restarts(restarts: ContainerRestarts) -> impl Fn(&mut Example) {
    move |example| {
        for container in &mut example.evidence.pods[0].containers {
            container.restarts = restarts;
        }
    }
}

fn ended(exit_code: i32, time: &str) -> ContainerEnd {
    ContainerEnd {
        exit_code,
        finished_at: at(time),
        ..ContainerEnd::default()
    }
}

fn policy(policy: ConcurrencyPolicy) -> impl Fn(&mut Example) {
    move |example| example.spec().concurrency_policy = policy.clone()
}

fn severity(change: impl FnOnce(&mut Example)) -> Option<Severity> {
    changed(HELD, change).map(|finding| finding.severity)
}

/// The codes that are found in the example after a change.
fn all_codes(change: impl FnOnce(&mut Example)) -> Vec<&'static str> {
    let mut example = example(HELD);
    change(&mut example);
    codes(&example.findings())
}

/// Removes the evidence of runs that have finished.
fn first_run(example: &mut Example) {
    example.evidence.jobs.remove(0);
    example.cron_job().status.last_successful_time = None;
}

#[test]
fn job_with_ended_main_and_running_proxy_is_an_error() {
    let found: Finding = changed(HELD, |_| {}).unwrap();
    assert_eq!(found.severity, Severity::Error);
    let expected = ["held-by-sidecar", "blocked-by-running-job"];
    assert_eq!(all_codes(|_| {}), expected);
    // The finding about the block does not guess the cause.
    let blocked = example(HELD).found("blocked-by-running-job");
    let blocked = blocked.unwrap().detail;
    assert_lacks!(blocked, "ready");
    assert_lacks!(blocked, "stuck");
}

#[test]
fn proxy_is_known_by_its_image_alone() {
    let renamed = |example: &mut Example| "mesh".clone_into(&mut proxy(example).name);
    assert!(detail(HELD, renamed).contains("container mesh (Istio) keeps running"));
}

#[test]
fn just_ended_main_is_not_reported() {
    let seconds_ago = |seconds: i64| {
        move |example: &mut Example| {
            let now = example.now;
            let end = main(example).terminated.as_mut().unwrap();
            end.finished_at = Some(now - SignedDuration::from_secs(seconds));
        }
    };
    silent(HELD, seconds_ago(5));
    silent(HELD, seconds_ago(59));
    assert!(changed(HELD, seconds_ago(60)).is_some());
}

#[test]
fn failed_main_is_held_only_if_it_is_not_restarted() {
    let failed = |policy: ContainerRestarts| {
        move |example: &mut Example| {
            restarts(policy)(example);
            main(example).terminated = Some(ended(3, "08:04:31"));
        }
    };
    let never = failed(ContainerRestarts::Never);
    let expected = ["held-by-sidecar", "blocked-by-running-job"];
    assert_eq!(all_codes(never), expected);
    assert_texts!(detail(HELD, never), remedy(HELD, never),);
    silent(HELD, failed(ContainerRestarts::OnFailure));
    silent(HELD, failed(ContainerRestarts::Always));
    silent(HELD, failed(ContainerRestarts::ByRules));
    // Without the pod's spec, the template decides: it says Never.
    let unknown = failed(ContainerRestarts::Unknown);
    assert!(changed(HELD, unknown).is_some());
    silent(HELD, |example| {
        unknown(example);
        example.template()["spec"]["template"]["spec"]["restartPolicy"] = "OnFailure".into();
    });
}

#[test]
fn successful_main_is_held_unless_it_is_restarted() {
    assert!(changed(HELD, restarts(ContainerRestarts::OnFailure)).is_some());
    assert!(changed(HELD, restarts(ContainerRestarts::Unknown)).is_some());
    silent(HELD, restarts(ContainerRestarts::Always));
    silent(HELD, restarts(ContainerRestarts::ByRules));
    // The container is restarted, or waits for its restart.
    silent(HELD, |example| main(example).is_running = true);
    silent(HELD, |example| {
        main(example).waiting = Some(ContainerReason::default());
    });
}

#[test]
fn native_sidecar_or_init_container_holds_nothing() {
    for kind in [ContainerKind::NativeSidecar, ContainerKind::Init] {
        silent(HELD, |example| proxy(example).kind = kind);
    }
}

/// It is stopped after the main container, and may then exit with any code.
#[test]
fn native_sidecar_is_not_why_a_pod_failed() {
    let stopped = |pod: &mut Pod, main_code: i32| {
        pod.containers[0].terminated = Some(ended(main_code, "08:04:31"));
        pod.containers[1].kind = ContainerKind::NativeSidecar;
        pod.containers[1].is_running = false;
        pod.containers[1].terminated = Some(ended(143, "08:04:33"));
    };
    let mut failed = example(HELD);
    end(&mut failed, "Failed", "BackoffLimitExceeded", "08:05:00");
    stopped(failed.last_pod(), 3);
    failed.evidence.pods[0].phase = "Failed".to_owned();
    let found = failed.findings();
    assert_eq!(codes(&found), ["last-run-failed"]);
    let said = "exited with code 3 in container main";
    assert_contains!(found[0].detail, said);
    // One of several pods that succeeded, beside one that is restarted.
    let mut several = example(CRASHES);
    let mut pod = example(HELD).evidence.pods.remove(0);
    pod.name = "reindex-29552160-b4c5d".to_owned();
    pod.phase = "Succeeded".to_owned();
    pod.owner_references
        .clone_from(&several.evidence.pods[0].owner_references);
    stopped(&mut pod, 0);
    several.evidence.pods.push(pod);
    let found = several.findings();
    let said = "Its pod reindex-29552160-t5b8r exited with code 137";
    assert_contains!(found[0].detail, said);
}

#[test]
fn proxy_that_ended_does_not_hold_main() {
    silent(HELD, |example| {
        let end = main(example).terminated.take();
        let running_since = proxy(example).running_since.take();
        main(example).is_running = true;
        main(example).running_since = running_since;
        proxy(example).is_running = false;
        proxy(example).terminated = end;
    });
    // The same for one of two proxies beside a main container that is running.
    silent(HELD, |example| {
        let mut vault = main(example).clone();
        "vault-agent".clone_into(&mut vault.name);
        example.evidence.pods[0].containers.push(vault);
        main(example).is_running = true;
    });
}

#[test]
fn pod_or_job_that_is_ending_is_not_held() {
    let changes: [fn(&mut Example); 4] = [
        |example| example.last_pod().deletion_timestamp = at("10:19:00"),
        |example| example.last_job().deletion_timestamp = at("10:19:00"),
        |example| example.last_pod().phase = "Succeeded".to_owned(),
        |example| end(example, "Complete", "", "10:19:00"),
    ];
    for change in changes {
        silent(HELD, change);
    }
}

#[test]
fn unknown_container_is_not_called_a_sidecar() {
    // Two hours, where the run before took five minutes.
    let found = changed(HELD, unknown).unwrap();
    assert_eq!(found.severity, Severity::Warning);
    assert_texts!(found.detail, found.remedy.unwrap().text,);
    // The first run: nothing is known, and it blocks others.
    let first = |example: &mut Example| {
        unknown(example);
        first_run(example);
    };
    assert_eq!(severity(first), Some(Severity::Warning));
    // It blocks no runs.
    let alone = changed(HELD, |example| {
        first(example);
        policy(ConcurrencyPolicy::Allow)(example);
    });
    let alone = alone.unwrap();
    assert_eq!(alone.severity, Severity::Info);
    assert_texts!(alone.detail, alone.remedy.unwrap().text,);
}

#[test]
fn unknown_container_of_a_run_of_the_usual_length_is_not_reported() {
    silent(HELD, |example| {
        unknown(example);
        // The run before took three hours.
        let job = &mut example.evidence.jobs[0];
        job.creation_timestamp = at("04:04:40");
    });
    // One that failed says nothing about how long the work takes.
    let reported = changed(HELD, |example| {
        unknown(example);
        let job = &mut example.evidence.jobs[0];
        job.creation_timestamp = at("04:04:40");
        job.conditions[0].r#type = "Failed".into();
    });
    assert!(reported.is_some());
}

#[test]
fn unknown_container_beside_a_failed_one_stays_a_crash() {
    let failed = |example: &mut Example| {
        unknown(example);
        main(example).terminated = Some(ended(3, "08:04:31"));
    };
    silent(HELD, failed);
    assert!(all_codes(failed).contains(&CRASHES));
}

#[test]
fn consequence_depends_on_the_policy() {
    let allow = changed(HELD, policy(ConcurrencyPolicy::Allow)).unwrap();
    let replace = changed(HELD, |example| {
        policy(ConcurrencyPolicy::Replace)(example);
        example.now = at("08:20:00").unwrap();
    });
    let replace = replace.unwrap();
    assert_eq!([allow.severity, replace.severity], [Severity::Warning; 2]);
    assert_texts!(allow.detail, replace.detail,);
    // Before a run is due, the Job blocks none yet.
    let early = |example: &mut Example| example.now = at("08:20:00").unwrap();
    assert_eq!(severity(early), Some(Severity::Error));
    insta::assert_snapshot!(detail(HELD, early));
}

/// Adds a Job like the last one, with its pod, that started at the given time.
fn pile_up(example: &mut Example, minute: i64, time: &str) {
    let job: Job = example.evidence.jobs[1].clone();
    let name = format!("orders-{minute}");
    let mut pod = example.evidence.pods[0].clone();
    pod.name = format!("{name}-x2v8p");
    pod.uid = String::new();
    pod.owner_references[0].name.clone_from(&name);
    pod.owner_references[0].uid = String::new();
    pod.creation_timestamp = at(time);
    example.evidence.pods.push(pod);
    example.evidence.jobs.push(Job {
        name,
        uid: format!("uid-{minute}"),
        creation_timestamp: at(time),
        start_time: at(time),
        ..job
    });
}

#[test]
fn jobs_that_pile_up_are_counted() {
    let two = detail(HELD, |example| {
        policy(ConcurrencyPolicy::Allow)(example);
        pile_up(example, 29_552_220, "09:00:00");
    });
    // Of many Jobs, only the pods of five are read.
    let seven = detail(HELD, |example| {
        policy(ConcurrencyPolicy::Allow)(example);
        for minute in 1..=6 {
            pile_up(example, 29_552_220 + minute, &format!("09:{minute:02}:00"));
        }
    });
    let least = " 7 Jobs of this CronJob are unfinished, at least 5 of them for this reason.";
    assert_contains!(seven, least);
    let all = " 2 Jobs of this CronJob are unfinished for this reason.";
    assert_contains!(two, all);
}

/// The schedule is not the reason that they do not end.
#[test]
fn jobs_that_pile_up_are_a_warning_and_not_too_long_for_the_schedule() {
    let many = |example: &mut Example| {
        policy(ConcurrencyPolicy::Allow)(example);
        for minute in 1..=6 {
            pile_up(example, 29_552_160 + minute, &format!("08:{minute:02}:00"));
        }
        first_run(example);
        for pod in &mut example.evidence.pods {
            "worker".clone_into(&mut pod.containers[1].name);
            "registry.example.com/worker:2".clone_into(&mut pod.containers[1].image);
        }
        "* * * * *".clone_into(&mut example.spec().schedule);
    };
    assert_eq!(severity(many), Some(Severity::Warning));
    assert!(!all_codes(many).contains(&"runs-longer-than-period"));
}

/// The long duration is a consequence of the sidecar.
#[test]
fn held_job_is_not_reported_as_running_longer_than_usual() {
    let usual = |example: &mut Example| {
        policy(ConcurrencyPolicy::Allow)(example);
        let finished = example.evidence.jobs[0].clone();
        for number in 0..5 {
            example.evidence.jobs.push(Job {
                name: format!("{}-{number}", finished.name),
                ..finished.clone()
            });
        }
    };
    let long = "running-longer-than-usual";
    assert!(!all_codes(usual).contains(&long));
    let at_work = |example: &mut Example| {
        usual(example);
        main(example).terminated = None;
        main(example).is_running = true;
    };
    assert!(all_codes(at_work).contains(&long));
}

#[test]
fn held_job_with_a_deadline_shows_when_it_fails() {
    let text = detail(HELD, |example| {
        example.last_job().active_deadline_seconds = Some(10_800);
    });
    let said = " The Job fails at Tue 2026-03-10 11:00 UTC (activeDeadlineSeconds: 10800).";
    assert_contains!(text, said);
}

#[test]
fn several_sidecars_have_their_remedies() {
    let text = remedy(HELD, |example| {
        let mut sql = proxy(example).clone();
        "cloud-sql-proxy".clone_into(&mut sql.name);
        sql.image.clear();
        example.evidence.pods[0].containers.push(sql);
    });
    insta::assert_snapshot!(text);
}

#[test]
fn remedy_depends_on_the_release() {
    let text = remedy(HELD, |example| {
        example.controller = crate::support::recorded::controller("1.28");
    });
    assert_lacks!(text, "nativeSidecar");
    insta::assert_snapshot!(text);
}
