//! How to run again now what failed, is stuck or was missed.

use cronjob_diagnosis::change::backfill::{BackfillSelection, plan};
use cronjob_diagnosis::diagnose::{Finding, finding_rules};
use cronjob_diagnosis::kubectl::{Note, Remedy};
use kube_model::{ConcurrencyPolicy, ManagedField};

use super::pods::{CRASHES, FAILED, at, changed, condition, detail, end};
use super::{Example, example};
use serde_json::{Value, json};

const AGAIN: &str = "run it again";

fn remedy_of(found: Option<Finding>) -> Remedy {
    found.unwrap().remedy.unwrap()
}

/// The command after the comment that says that it runs something again.
fn again(remedy: &Remedy) -> Option<&str> {
    let note = remedy
        .notes
        .iter()
        .find(|note| note.text.ends_with(AGAIN))?;
    note.command.as_deref()
}

fn exit(example: &mut Example, exit_code: i32, reason: &str) {
    for pod in &mut example.evidence.pods {
        let end = pod.containers[0].terminated.as_mut().unwrap();
        end.exit_code = exit_code;
        end.reason = reason.to_owned();
        end.message.clear();
    }
}

#[test]
fn failed_run_is_retried_after_its_cause_was_shown() {
    let mut failed = example(FAILED);
    let job = failed.last_job().name.clone();
    let remedy = remedy_of(failed.found(FAILED));
    let retry = format!("kubectl cronjob-doctor trigger -n db --job {job}");
    assert_eq!(again(&remedy), Some(retry.as_str()));
    // The brief form keeps the command.
    assert_eq!(again(&remedy.clone().brief()), Some(retry.as_str()));
    let text = remedy.brief().text;
    assert!(text.ends_with(&format!("{AGAIN}: {retry}")), "{text}");
}

/// A retry has the template of the Job, without what the remedy corrects.
#[test]
fn failed_run_whose_remedy_corrects_the_cron_job_is_triggered() {
    let trigger = Some("kubectl cronjob-doctor trigger backup -n db");
    let stopped = changed(FAILED, |example| {
        end(example, "Failed", "DeadlineExceeded", "03:15:20");
        example.evidence.pods.clear();
        example.template()["spec"]["activeDeadlineSeconds"] = json!(2700);
        example.last_job().active_deadline_seconds = Some(2700);
    });
    let remedy = remedy_of(stopped);
    assert_contains!(remedy.text, r#"{"activeDeadlineSeconds":5400}"#);
    assert_eq!(again(&remedy), trigger);
    // The correction is a sentence: a priority class.
    let preempted = changed(FAILED, |example| {
        example.template()["spec"]["template"]["spec"]["restartPolicy"] = "OnFailure".into();
        let preempted = condition("DisruptionTarget", "PreemptionByScheduler", "03:15:00");
        example.last_pod().conditions.push(preempted);
    });
    assert_eq!(again(&remedy_of(preempted)), trigger);
}

/// The Job of 02:30 has the template of then.
#[test]
fn failed_run_of_an_earlier_template_is_triggered_as_the_cron_job_is_now() {
    let written = |time: &'static str, fields: Value| {
        changed(FAILED, move |example| {
            let mut field = ManagedField {
                time: at(time),
                ..ManagedField::default()
            };
            field.note_fields(&serde_json::from_value(fields).unwrap());
            example.cron_job().managed_fields = vec![field];
        })
    };
    let template = || json!({"f:spec": {"f:jobTemplate": {}}});
    let trigger = "kubectl cronjob-doctor trigger backup -n db";
    let retry = "kubectl cronjob-doctor trigger -n db --job backup-29551830";
    for (time, fields, expected) in [
        ("08:00:00", template(), trigger),
        ("02:00:00", template(), retry),
        ("08:00:00", json!({"f:spec": {"f:suspend": {}}}), retry),
    ] {
        let remedy = remedy_of(written(time, fields.clone()));
        assert_eq!(again(&remedy), Some(expected), "{time} {fields}");
    }
}

/// The history limit deletes the failed Job with its logs if the new one fails, too.
#[test]
fn logs_are_saved_before_a_run_that_may_delete_them() {
    let saves = |limit: i32| {
        let remedy = remedy_of(changed(FAILED, move |example| {
            example.spec().failed_jobs_history_limit = Some(limit);
        }));
        let first = |note: &&Note| *note.text == *"save the logs first";
        let save = remedy.notes.iter().position(|note| first(&note));
        let command = save.and_then(|index| remedy.notes[index].command.clone());
        let again = remedy
            .notes
            .iter()
            .position(|note| *note.text == *"run it again");
        assert!(save.is_none() || save < again);
        assert_eq!(
            save.is_some(),
            remedy.brief().notes[0]
                .text
                .starts_with("save the logs first, then")
        );
        command
    };
    let save =
        "kubectl cronjob-doctor logs backup -n db --job backup-29551830 > backup-29551830.log";
    assert_eq!(saves(1).as_deref(), Some(save));
    assert_eq!(saves(3), None);
}

#[test]
fn stuck_run_is_deleted_and_the_fixed_cron_job_triggered() {
    let image = "pod-image-pull-fails";
    let daily = |example: &mut Example| {
        example.spec().schedule = "0 8 * * *".to_owned();
        example.spec().concurrency_policy = ConcurrencyPolicy::Allow;
    };
    let remedy = remedy_of(changed(image, daily));
    let trigger = "kubectl cronjob-doctor trigger thumbnails -n shop";
    assert_eq!(again(&remedy), Some(trigger));
    let commands = remedy
        .notes
        .iter()
        .filter_map(|note| note.command.as_deref());
    let commands: Vec<&str> = commands.collect();
    assert_eq!(commands.len(), 2);
    assert!(commands[0].starts_with("kubectl delete job "));
    // The controller starts the run that the Job blocked.
    let forbid = remedy_of(changed(image, |_| {}));
    let starts = |note: &Note| note.text.contains("immediately starts");
    assert!(forbid.notes.iter().any(starts) && again(&forbid).is_none());
}

#[test]
fn run_whose_job_was_deleted_is_triggered() {
    let gone = "last-run-without-success";
    let mut example = example(gone);
    let name = example.cron_job().name.clone();
    let trigger = format!("kubectl cronjob-doctor trigger {name} -n shop");
    assert_eq!(
        again(&remedy_of(example.found(gone))),
        Some(trigger.as_str())
    );
}

/// What a remedy offers to start is what `backfill` starts.
#[test]
fn missed_runs_are_backfilled() {
    let mut seen = Vec::new();
    for rule in finding_rules() {
        let example = example(rule.name);
        for found in example.findings() {
            let Some(remedy) = &found.remedy else {
                continue;
            };
            assert!(!remedy.text.contains("create job"), "{}", remedy.text);
            if !remedy.text.contains(" backfill ") {
                continue;
            }
            assert!(remedy.text.contains(" --last 1"), "{}", remedy.text);
            let last = BackfillSelection {
                last: Some(1),
                max: 10,
                include_unknown: remedy.text.contains("--include-unknown"),
                ..BackfillSelection::default()
            };
            let planned = example.with_live_facts(|facts| plan(facts, &last));
            let steps = planned.map(|plan| plan.steps.len());
            // One is about runs that will be missed.
            if found.code != "uneven-schedule-can-miss-runs" {
                seen.push(format!("{} in {}: {steps:?}", found.code, rule.name));
            }
        }
    }
    let wrong: Vec<&String> = seen
        .iter()
        .filter(|seen| !seen.ends_with("Ok(1)"))
        .collect();
    assert!(wrong.is_empty() && seen.len() >= 3, "{seen:#?}");
}

/// Kills the containers of the last Job for their memory, with a limit, and with resources in the Job template now.
fn killed_at(limit: Option<&'static str>, now: &Value) -> impl FnOnce(&mut Example) + use<> {
    let now = now.clone();
    move |example| {
        exit(example, 137, "OOMKilled");
        for pod in &mut example.evidence.pods {
            pod.containers[0].memory_limit = limit.map(str::to_owned);
        }
        example.template()["spec"]["template"]["spec"]["containers"][0]["resources"] = now;
    }
}

/// What the Job had decides, and a limit that was raised since is not raised again.
#[test]
fn limit_that_was_raised_since_the_run_is_not_raised_again() {
    let trigger = "kubectl cronjob-doctor trigger backup -n db";
    let memory = |then, now: &str| {
        let now = json!({ "limits": { "memory": now } });
        changed(FAILED, killed_at(Some(then), &now))
    };
    for (then, now, command) in [
        ("128Mi", "256Mi", trigger),
        ("134217728", "129Mi", trigger),
        ("128Mi", "128Mi", "memory=256Mi"),
        ("128Mi", "64Mi", "memory=256Mi"),
    ] {
        let found = memory(then, now);
        let said = format!("The memory limit of container main was {then}.");
        assert_contains!(found.as_ref().unwrap().detail, said.as_str());
        let remedy = remedy_of(found);
        assert!(remedy.command.unwrap().ends_with(command), "{then} {now}");
        assert!(remedy.text.contains(trigger), "{then} {now}");
    }
    let deadline = |now: Value| {
        changed(FAILED, move |example| {
            end(example, "Failed", "DeadlineExceeded", "03:15:20");
            example.evidence.pods.clear();
            example.last_job().active_deadline_seconds = Some(20);
            example.template()["spec"]["activeDeadlineSeconds"] = now;
        })
    };
    let doubled = r#"{"activeDeadlineSeconds":40}"#;
    for (now, is_raised) in [
        (json!(40), true),
        (Value::Null, true),
        (json!(20), false),
        (json!(10), false),
    ] {
        let found = deadline(now.clone());
        assert_contains!(
            found.as_ref().unwrap().detail,
            "stopped by activeDeadlineSeconds: 20"
        );
        let remedy = remedy_of(found);
        assert_eq!(
            remedy.command.as_deref() == Some(trigger),
            is_raised,
            "{now}"
        );
        assert_eq!(remedy.text.contains(doubled), !is_raised, "{now}");
        assert!(remedy.text.contains(trigger), "{now}");
    }
}

/// A crashing Job has to be deleted first.
#[test]
fn crashing_run_whose_limit_was_raised_since_is_deleted_and_triggered() {
    let remedy = remedy_of(changed(CRASHES, |example| {
        let container = &mut example.template()["spec"]["template"]["spec"]["containers"][0];
        container["resources"]["limits"]["memory"] = json!("512Mi");
    }));
    assert_eq!(
        remedy.command.as_deref(),
        Some("kubectl delete job reindex-29552160 -n shop")
    );
    assert_eq!(
        again(&remedy),
        Some("kubectl cronjob-doctor trigger reindex -n shop")
    );
}

#[test]
fn container_out_of_memory_gets_a_higher_limit() {
    let crashes = changed(CRASHES, |_| {});
    assert!(
        crashes
            .as_ref()
            .unwrap()
            .detail
            .contains("The memory limit of container main was 256Mi.")
    );
    let remedy = remedy_of(crashes);
    let set = "kubectl set resources cronjob/reindex -n shop -c main --limits=memory=512Mi";
    assert_eq!(remedy.command.as_deref(), Some(set));
    let trigger = "kubectl cronjob-doctor trigger reindex -n shop";
    assert_eq!(again(&remedy), Some(trigger));
    assert!(
        remedy
            .text
            .contains("kubectl delete job reindex-29552160 -n shop")
    );
    // The failed Job would fail again with its own template.
    let killed = killed_at(Some("1Gi"), &json!({ "limits": { "memory": "1Gi" } }));
    let remedy = remedy_of(changed(FAILED, killed));
    let command = remedy.command.as_deref().unwrap();
    assert!(command.ends_with(" --limits=memory=2Gi"), "{command}");
    let cron_job = example(FAILED).cron_job().name.clone();
    let trigger = format!("kubectl cronjob-doctor trigger {cron_job} -n db");
    assert_eq!(again(&remedy), Some(trigger.as_str()));
    // Without a limit.
    let unlimited = || killed_at(None, &json!({}));
    assert!(detail(FAILED, unlimited()).contains("had no memory limit"));
    let remedy = remedy_of(changed(FAILED, unlimited()));
    let command = remedy.command.as_deref().unwrap();
    assert!(
        command.ends_with(" --requests=memory=1Gi --limits=memory=1Gi"),
        "{command}"
    );
    // As it was read from a cluster: without the name of a single container, and without one that has no limit.
    let read = |limit, containers: Value| {
        changed(FAILED, move |example| {
            killed_at(limit, &json!({}))(example);
            example.template()["spec"]["template"]["spec"]["containers"] = containers;
        })
    };
    let command = |found| remedy_of(found).command.unwrap();
    let limited = read(
        Some("128Mi"),
        json!([{ "resources": { "limits": { "memory": "128Mi" } } }]),
    );
    let end = " --limits=memory=256Mi";
    assert!(command(limited).ends_with(end));
    let unlimited = read(None, Value::Null);
    let end = " --requests=memory=1Gi --limits=memory=1Gi";
    assert!(command(unlimited).ends_with(end));
    // A container that is not in the template.
    let injected = changed(FAILED, |example| {
        exit(example, 137, "OOMKilled");
        for pod in &mut example.evidence.pods {
            pod.containers[0].name = "proxy".to_owned();
        }
    });
    assert!(
        remedy_of(injected)
            .command
            .unwrap()
            .starts_with("kubectl logs ")
    );
}

#[test]
fn exit_codes_of_signals_and_shells_are_explained() {
    let texts = [137, 143, 126, 127, 3].map(|code| {
        let detail = detail(FAILED, |example| exit(example, code, "Error"));
        let (_, exit) = detail.split_once("exited with").unwrap();
        exit.split_once(" at ").unwrap().0.to_owned()
    });
    insta::assert_snapshot!(texts.join("\n"));
}
