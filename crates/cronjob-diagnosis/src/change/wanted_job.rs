//! The one Job that is created manually: which, and what differs from the template. Image, command and environment of a
//! container are changed as `kubectl set` changes them.

use std::collections::HashSet;
use std::str::FromStr;

use serde_json::{Value, json};

use super::container_choice::{ContainerChoice, NoContainer, choices, choose, container_mut};
use super::differences::template_differences;
use super::job::{
    JobFromTemplate, TemplateError, create_job, manual_name, repeat_job, retry_name, set_ttl,
    suffix,
};
use jiff::Timestamp;
use kube_model::JobResult;

/// The Job that is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WantedJob {
    /// Its name; a random one is generated if there is none.
    pub name: Option<String>,
    /// The container that is changed; if none is named, the one that kubectl would choose.
    pub container: Option<String>,
    pub image: Option<String>,
    /// The command with its arguments; empty for that of the template.
    pub command: Vec<String>,
    /// Whether `command` has arguments only, and the command of the template stays.
    pub keeps_command: bool,
    pub env: Vec<EnvChange>,
    /// Its `ttlSecondsAfterFinished`, in place of that of the template.
    pub ttl: Option<i32>,
    /// The run whose Job is repeated, in place of the template.
    pub retried: Option<RetriedRun>,
}

/// The run whose Job is repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetriedRun {
    pub job_name: String,
    /// The scheduled time of its run; `None` if it was created manually.
    pub scheduled_time: Option<Timestamp>,
    pub result: JobResult,
    /// The reason that it failed for; empty if it succeeded.
    pub reason: String,
    /// The Job as the API server returned it.
    pub object: Value,
}

/// A Job that is ready to be sent, and what was changed in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobDraft {
    pub job: Value,
    /// The container that differs from the template.
    pub(crate) container: Option<ContainerChoice>,
    /// Its arguments that do not apply, because the command is another one.
    pub(crate) dropped_args: Option<Value>,
    /// What the CronJob has instead of what a repeated Job has, such as `activeDeadlineSeconds 20, now 40`.
    pub(crate) differences: Vec<String>,
}

impl JobDraft {
    pub fn name(&self) -> &str {
        let name = self.job.pointer("/metadata/name");
        name.and_then(Value::as_str).unwrap_or_default()
    }

    /// Replaces a name that is taken.
    pub fn rename(&mut self, name: &str) {
        if let Some(own) = self.job.pointer_mut("/metadata/name") {
            *own = json!(name);
        }
    }
}

/// Why the wanted Job cannot be created.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobDraftError {
    #[error(transparent)]
    Template(#[from] TemplateError),
    #[error(transparent)]
    Container(#[from] NoContainer),
    #[error(
        "container {container} has no environment variable {name}{}{}",
        choices(known, name),
        if *from_elsewhere { "; variables from envFrom can be overridden but not removed" } else { "" }
    )]
    NoVariable {
        container: String,
        name: String,
        known: Vec<String>,
        /// Whether it may have it by `envFrom`.
        from_elsewhere: bool,
    },
    #[error("--env: {0} is given more than once")]
    Twice(String),
}

impl WantedJob {
    /// Whether its container is as in the template.
    fn keeps_container(&self) -> bool {
        self.image.is_none() && self.command.is_empty() && self.env.is_empty()
    }

    /// Its name, or one that is made of a random number.
    pub fn name(&self, cron_job: &str, random: u64) -> String {
        match (&self.name, &self.retried) {
            (Some(name), _) => name.clone(),
            (None, Some(retried)) => retry_name(&retried.job_name, &suffix(random)),
            (None, None) => manual_name(cron_job, &suffix(random)),
        }
    }

    /// The Job with a name, from a CronJob as the API server returned it.
    pub fn draft(&self, cron_job: &Value, name: &str) -> Result<JobDraft, JobDraftError> {
        let mut draft = match &self.retried {
            Some(retried) => JobDraft {
                job: repeat_job(cron_job, &retried.object, name)?,
                differences: template_differences(cron_job, &retried.object),
                ..JobDraft::default()
            },
            None => JobDraft {
                job: create_job(cron_job, &JobFromTemplate::manual(name))?,
                ..JobDraft::default()
            },
        };
        self.change_container(&mut draft)?;
        if let Some(ttl) = self.ttl {
            set_ttl(&mut draft.job, ttl);
        }
        Ok(draft)
    }

    fn change_container(&self, draft: &mut JobDraft) -> Result<(), JobDraftError> {
        self.check()?;
        let template = draft.job.pointer_mut("/spec/template");
        let template = template.ok_or(NoContainer::None)?;
        if self.keeps_container() {
            // A named container must exist, even if it is not changed.
            if let Some(name) = &self.container {
                choose(template, Some(name))?;
            }
            return Ok(());
        }
        let choice = choose(template, self.container.as_deref())?;
        let container = container_mut(template, &choice.name)
            .and_then(Value::as_object_mut)
            .ok_or(NoContainer::None)?;
        if let Some(image) = &self.image {
            container.insert("image".to_owned(), json!(image));
        }
        if self.keeps_command {
            container.insert("args".to_owned(), json!(self.command));
        } else if !self.command.is_empty() {
            container.insert("command".to_owned(), json!(self.command));
            draft.dropped_args = container.shift_remove("args");
        }
        if !self.env.is_empty() {
            let before = container.get("env").and_then(Value::as_array);
            let before: &[Value] = before.map_or(&[], Vec::as_slice);
            let after = changed_env(before, &self.env).map_err(|name| {
                let known = before
                    .iter()
                    .filter_map(|variable| Some(variable.get("name")?.as_str()?.to_owned()));
                JobDraftError::NoVariable {
                    container: choice.name.clone(),
                    known: known.collect(),
                    from_elsewhere: container.get("envFrom").is_some(),
                    name,
                }
            })?;
            container.insert("env".to_owned(), Value::Array(after));
        }
        draft.container = Some(choice);
        Ok(())
    }

    /// What can be checked before the CronJob is read.
    pub fn check(&self) -> Result<(), JobDraftError> {
        let mut known = HashSet::new();
        let mut names = self.env.iter().map(|change| &change.name);
        match names.find(|name| !known.insert(*name)) {
            Some(again) => Err(JobDraftError::Twice(again.clone())),
            None => Ok(()),
        }
    }
}

/// A change of one variable: `NAME=VALUE` or `NAME-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvChange {
    pub(crate) name: String,
    /// Its new value; `None` removes it.
    pub(crate) value: Option<String>,
}

impl FromStr for EnvChange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (Some(name), Some(value.to_owned())),
            None => (text.strip_suffix('-'), None),
        };
        match name.filter(|name| !name.is_empty()) {
            Some(name) => Ok(EnvChange {
                name: name.to_owned(),
                value,
            }),
            None => Err("expected NAME=VALUE, or NAME- to remove a variable".to_owned()),
        }
    }
}

/// The changed variables: a replaced one keeps its place, since a value may refer to those before it, and new ones
/// come last. Removing an unknown one is an error.
fn changed_env(variables: &[Value], changes: &[EnvChange]) -> Result<Vec<Value>, String> {
    let name_of = |variable: &Value| variable.get("name")?.as_str().map(str::to_owned);
    let mut result: Vec<Value> = Vec::new();
    let mut covered: Vec<&str> = Vec::new();
    for variable in variables {
        let name = name_of(variable);
        match changes
            .iter()
            .find(|change| Some(&change.name) == name.as_ref())
        {
            None => result.push(variable.clone()),
            // The last of several variables with the same name counted; they are replaced by one.
            Some(change) if covered.contains(&change.name.as_str()) => {}
            Some(change) => {
                covered.push(&change.name);
                result.extend(set(change));
            }
        }
    }
    for change in changes {
        if covered.contains(&change.name.as_str()) {
            continue;
        }
        if change.value.is_none() {
            return Err(change.name.clone());
        }
        result.extend(set(change));
    }
    Ok(result)
}

/// The variable that a change sets. Nothing of the old one is kept: a `valueFrom` beside a `value` is invalid.
fn set(change: &EnvChange) -> Option<Value> {
    let value = change.value.as_ref()?;
    Some(json!({"name": change.name, "value": value}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft() -> JobDraft {
        let template = json!({"spec": {
            "initContainers": [{"name": "fetch", "image": "fetch:1"}],
            "containers": [{"name": "main", "image": "main:1"}, {"name": "proxy", "image": "proxy:1"}],
        }});
        JobDraft {
            job: json!({"spec": {"template": template}}),
            ..JobDraft::default()
        }
    }

    #[test]
    fn override_with_a_container_name_changes_only_that_container() {
        let of = |name: &str| WantedJob {
            container: Some(name.to_owned()),
            image: Some("new".to_owned()),
            ..WantedJob::default()
        };
        let mut changed = draft();
        of("proxy").change_container(&mut changed).unwrap();
        of("fetch").change_container(&mut changed).unwrap();
        let pod = &changed.job["spec"]["template"]["spec"];
        assert_eq!(pod["containers"][0]["image"], "main:1");
        assert_eq!(pod["containers"][1]["image"], "new");
        assert_eq!(pod["initContainers"][0]["image"], "new");
    }

    #[test]
    fn no_overrides_change_nothing() {
        let mut same = draft();
        WantedJob::default().change_container(&mut same).unwrap();
        assert_eq!(same, draft());
        let named = WantedJob {
            container: Some("mian".to_owned()),
            ..WantedJob::default()
        };
        let error = named.change_container(&mut same).unwrap_err().to_string();
        assert!(
            error.starts_with("container \"mian\" not found; "),
            "{error}"
        );
    }

    fn change(text: &str) -> EnvChange {
        text.parse().unwrap()
    }

    #[test]
    fn environment_changes_are_parsed() {
        let set = |name: &str, value: Option<&str>| EnvChange {
            name: name.to_owned(),
            value: value.map(str::to_owned),
        };
        assert_eq!(change("A=1"), set("A", Some("1")));
        assert_eq!(change("A="), set("A", Some("")));
        assert_eq!(change("A=b=c-"), set("A", Some("b=c-")));
        assert_eq!(change("A-"), set("A", None));
        for wrong in ["", "A", "=1", "-", "="] {
            assert!(wrong.parse::<EnvChange>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn replaced_environment_variable_keeps_its_position() {
        let before = [
            json!({"name": "A", "value": "1"}),
            json!({"name": "B", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}),
            json!({"name": "C", "value": "$(B)"}),
            json!({"name": "B", "value": "again"}),
        ];
        let changes = [change("D=4"), change("B=2"), change("A-")];
        assert_eq!(
            changed_env(&before, &changes).unwrap(),
            [
                json!({"name": "B", "value": "2"}),
                json!({"name": "C", "value": "$(B)"}),
                json!({"name": "D", "value": "4"}),
            ]
        );
    }

    #[test]
    fn removing_an_unknown_environment_variable_is_an_error() {
        assert_eq!(changed_env(&[], &[change("A-")]), Err("A".to_owned()));
    }
}
