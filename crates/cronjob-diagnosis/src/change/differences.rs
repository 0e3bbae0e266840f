//! How the template of a Job differs from that of its CronJob, which may have been changed since.

use serde_json::{Map, Value};

/// More differences than these are counted.
const MOST: usize = 4;

/// The fields of a Job that decide how it runs, with the value that the API server sets in a Job without one. The
/// template of a CronJob does not get it.
const JOB_FIELDS: [(&str, Option<&str>); 11] = [
    ("activeDeadlineSeconds", None),
    ("backoffLimit", Some("6")),
    ("backoffLimitPerIndex", None),
    ("completionMode", Some("NonIndexed")),
    ("completions", Some("1")),
    ("maxFailedIndexes", None),
    ("parallelism", Some("1")),
    ("podFailurePolicy", None),
    ("successPolicy", None),
    ("suspend", Some("false")),
    ("ttlSecondsAfterFinished", None),
];

/// What the template of a CronJob has instead of what a Job had: `activeDeadlineSeconds 20, now 40`. Empty if it would
/// run in the same way.
pub(super) fn template_differences(cron_job: &Value, job: &Value) -> Vec<String> {
    let then = job.pointer("/spec");
    let now = cron_job.pointer("/spec/jobTemplate/spec");
    let field = |spec: Option<&Value>, field| spec.and_then(|spec| spec.get(field)).cloned();
    let mut differences = Vec::new();
    for (name, default) in JOB_FIELDS {
        let (then, now) = (field(then, name), field(now, name));
        let is_default =
            now.is_none() && default.is_some() && shown(then.as_ref()).as_deref() == default;
        if !is_default {
            differences.extend(difference(name, then.as_ref(), now.as_ref()));
        }
    }
    let pod = |spec: Option<&Value>| {
        spec.and_then(|spec| spec.pointer("/template/spec"))
            .cloned()
    };
    let (mut then, mut now) = (pod(then), pod(now));
    for list in ["initContainers", "containers"] {
        let [then, now] = [&mut then, &mut now].map(|pod| take_containers(pod.as_mut(), list));
        for name in then
            .keys()
            .chain(now.keys().filter(|name| !then.contains_key(*name)))
        {
            let label = |field: &str| format!("{field} of container {name}");
            differences.extend(match (then.get(name), now.get(name)) {
                (Some(then), Some(now)) => fields_that_differ(then, now, label),
                (then, now) => difference(&format!("container {name}"), then, now)
                    .into_iter()
                    .collect(),
            });
        }
    }
    let (then, now) = (then.unwrap_or_default(), now.unwrap_or_default());
    differences.extend(fields_that_differ(&then, &now, str::to_owned));
    let more = differences.len().saturating_sub(MOST);
    differences.truncate(MOST);
    if more > 0 {
        differences.push(format!("{more} more"));
    }
    differences
}

/// The containers of a pod by their names, removed from it.
fn take_containers(pod: Option<&mut Value>, list: &str) -> Map<String, Value> {
    let taken = pod
        .and_then(Value::as_object_mut)
        .and_then(|pod| pod.shift_remove(list));
    let containers = taken.as_ref().and_then(Value::as_array);
    let containers = containers.into_iter().flatten().filter_map(|container| {
        let name = container.get("name")?.as_str()?.to_owned();
        Some((name, container.clone()))
    });
    containers.collect()
}

fn fields_that_differ(then: &Value, now: &Value, label: impl Fn(&str) -> String) -> Vec<String> {
    let empty = Map::new();
    let [then, now] = [then, now].map(|value| value.as_object().unwrap_or(&empty));
    let names = then
        .keys()
        .chain(now.keys().filter(|name| !then.contains_key(*name)));
    let differences =
        names.filter_map(|name| difference(&label(name), then.get(name), now.get(name)));
    differences.collect()
}

fn difference(field: &str, then: Option<&Value>, now: Option<&Value>) -> Option<String> {
    if then == now {
        return None;
    }
    Some(match (shown(then), shown(now)) {
        (Some(then), Some(now)) => format!("{field} {then}, now {now}"),
        (Some(then), None) if now.is_none() => format!("{field} {then}, now unset"),
        _ => match (then, now) {
            (None, _) => format!("without {field}"),
            (_, None) => format!("{field}, now unset"),
            _ => format!("{field}, now another"),
        },
    })
}

/// A value in a few characters; `None` for one without or with parts.
fn shown(value: Option<&Value>) -> Option<String> {
    const LONGEST: usize = 80;
    let text = match value? {
        Value::String(text) => text.clone(),
        value @ (Value::Number(_) | Value::Bool(_)) => value.to_string(),
        _ => return None,
    };
    (text.len() <= LONGEST).then_some(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn differences(then: &Value, now: &Value) -> Vec<String> {
        let cron_job = json!({"spec": {"jobTemplate": {"spec": now}}});
        template_differences(&cron_job, &json!({"spec": then}))
    }

    #[test]
    fn defaults_of_a_job_are_no_difference() {
        let then = json!({
            "backoffLimit": 6, "completions": 1, "parallelism": 1, "completionMode": "NonIndexed", "suspend": false,
            "selector": {}, "podReplacementPolicy": "TerminatingOrFailed",
        });
        assert!(differences(&then, &json!({})).is_empty());
        let fewer = json!({"backoffLimit": 6});
        assert_eq!(
            differences(&fewer, &json!({"backoffLimit": 2})),
            ["backoffLimit 6, now 2"]
        );
    }

    #[test]
    fn what_decides_how_a_job_runs_is_named_with_both_values() {
        let pod = |image: &str, memory: &str| {
            json!({"spec": {
                "restartPolicy": "Never",
                "containers": [{
                    "name": "main", "image": image, "resources": {"limits": {"memory": memory}},
                }],
            }})
        };
        let then = json!({"activeDeadlineSeconds": 20, "template": pod("a:1", "128Mi")});
        let now = json!({
            "activeDeadlineSeconds": 40, "podFailurePolicy": {"rules": []},
            "template": pod("a:2", "256Mi"),
        });
        let expected = [
            "activeDeadlineSeconds 20, now 40",
            "without podFailurePolicy",
            "image of container main a:1, now a:2",
            "resources of container main, now another",
        ];
        assert_eq!(differences(&then, &now), expected);
    }

    #[test]
    fn what_is_unset_or_new_is_named_without_the_other_value() {
        let then = json!({"activeDeadlineSeconds": 20, "podFailurePolicy": {"rules": []}});
        let expected = [
            "activeDeadlineSeconds 20, now unset",
            "podFailurePolicy, now unset",
        ];
        assert_eq!(differences(&then, &json!({})), expected);
        let pod = |containers: Value| json!({"template": {"spec": {"containers": containers}}});
        let then = pod(json!([{"name": "main"}, {"name": "side", "image": "b"}]));
        let now = pod(json!([{"name": "main"}, {"name": "proxy"}]));
        let expected = ["container side, now unset", "without container proxy"];
        assert_eq!(differences(&then, &now), expected);
    }

    /// A text of 81 characters is not shown, and one of 80 is.
    #[test]
    fn long_values_are_only_called_another() {
        let pod = |image: &str| {
            let containers = json!([{"name": "main", "image": image}]);
            json!({"template": {"spec": {"containers": containers}}})
        };
        let [short, long] = [80, 81].map(|length| pod(&"b".repeat(length)));
        let expected = format!("image of container main a, now {}", "b".repeat(80));
        assert_eq!(differences(&pod("a"), &short), [expected]);
        let expected = ["image of container main, now another"];
        assert_eq!(differences(&pod("a"), &long), expected);
        assert_eq!(differences(&long, &pod("a")), expected);
    }

    #[test]
    fn more_than_four_differences_are_counted() {
        let mut then = json!({
            "activeDeadlineSeconds": 1, "backoffLimit": 1, "backoffLimitPerIndex": 1, "completions": 2,
        });
        assert_eq!(differences(&then, &json!({})).len(), 4);
        then["maxFailedIndexes"] = json!(1);
        let found = differences(&then, &json!({}));
        assert_eq!(found.len(), 5);
        assert_eq!(found[4], "1 more");
    }
}
