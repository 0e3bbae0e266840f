//! Overrides of one manually created Job: image, command and environment of one container, changed as
//! `kubectl set` changes them.

use std::collections::HashSet;
use std::str::FromStr;

use serde_json::{Value, json};

use cronjob_text::spelling::nearest;

/// What differs from the template in one container.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// The container; if none is named, the one that kubectl would choose.
    pub container: Option<String>,
    pub image: Option<String>,
    /// The command with its arguments; empty for that of the template.
    pub command: Vec<String>,
    /// Whether `command` has arguments only, and the command of the template stays.
    pub keeps_command: bool,
    pub env: Vec<EnvChange>,
}

/// Why a Job template cannot be changed as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OverrideError {
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

impl Overrides {
    /// Whether the run is as the template says.
    pub(crate) fn is_empty(&self) -> bool {
        self.image.is_none() && self.command.is_empty() && self.env.is_empty()
    }

    /// Changes a Job. Returns what was changed; `None` if nothing was.
    pub fn apply(&self, job: &mut Value) -> Result<Option<Overridden>, OverrideError> {
        self.check()?;
        let template = job.pointer_mut("/spec/template");
        let template = template.ok_or(NoContainer::None)?;
        if self.is_empty() {
            // A named container must exist, even if it is not changed.
            if let Some(name) = &self.container {
                choose(template, Some(name))?;
            }
            return Ok(None);
        }
        let choice = choose(template, self.container.as_deref())?;
        let container = container_mut(template, &choice.name)
            .and_then(Value::as_object_mut)
            .ok_or(NoContainer::None)?;
        if let Some(image) = &self.image {
            container.insert("image".to_owned(), json!(image));
        }
        let mut dropped_args = None;
        if self.keeps_command {
            container.insert("args".to_owned(), json!(self.command));
        } else if !self.command.is_empty() {
            container.insert("command".to_owned(), json!(self.command));
            dropped_args = container.shift_remove("args");
        }
        if !self.env.is_empty() {
            let before = container.get("env").and_then(Value::as_array);
            let before: &[Value] = before.map_or(&[], Vec::as_slice);
            let after = changed_env(before, &self.env).map_err(|name| {
                let known = before
                    .iter()
                    .filter_map(|variable| Some(variable.get("name")?.as_str()?.to_owned()));
                OverrideError::NoVariable {
                    container: choice.name.clone(),
                    known: known.collect(),
                    from_elsewhere: container.get("envFrom").is_some(),
                    name,
                }
            })?;
            container.insert("env".to_owned(), Value::Array(after));
        }
        Ok(Some(Overridden {
            choice,
            dropped_args,
        }))
    }

    /// What can be checked without a template.
    pub fn check(&self) -> Result<(), OverrideError> {
        let mut known = HashSet::new();
        let mut names = self.env.iter().map(|change| &change.name);
        match names.find(|name| !known.insert(*name)) {
            Some(again) => Err(OverrideError::Twice(again.clone())),
            None => Ok(()),
        }
    }
}

/// What was changed in a Job template.
#[derive(Clone, Debug, PartialEq)]
pub struct Overridden {
    pub(crate) choice: ContainerChoice,
    /// Its arguments that do not apply, because the command is another one.
    pub(crate) dropped_args: Option<Value>,
}

/// The annotation of pods that names kubectl's default container.
const DEFAULT_CONTAINER: &str = "kubectl.kubernetes.io/default-container";

/// The container that a change is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerChoice {
    pub name: String,
    pub(crate) why: ChoiceReason,
    /// The names of the other containers, without init containers.
    pub(crate) others: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChoiceReason {
    Named,
    Only,
    Annotated,
    First,
}

/// Why no container was chosen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoContainer {
    #[error("container {name:?} not found{}", choices(known, name))]
    Unknown { name: String, known: Vec<String> },
    #[error("the Job template has no containers")]
    None,
}

/// Chooses a container of a pod or pod template, as `kubectl logs` does: the named one, or else the one in the
/// annotation, or else the first.
pub fn choose(pod: &Value, named: Option<&str>) -> Result<ContainerChoice, NoContainer> {
    let main = container_names(pod, "containers");
    let choice = |name: &str, why| ContainerChoice {
        name: name.to_owned(),
        why,
        others: main
            .iter()
            .filter(|other| *other != name)
            .cloned()
            .collect(),
    };
    if let Some(name) = named {
        let mut known = main.clone();
        known.extend(container_names(pod, "initContainers"));
        return if known.iter().any(|known| known == name) {
            Ok(choice(name, ChoiceReason::Named))
        } else {
            let name = name.to_owned();
            Err(NoContainer::Unknown { name, known })
        };
    }
    let first = match main.as_slice() {
        [] => return Err(NoContainer::None),
        [only] => return Ok(choice(only, ChoiceReason::Only)),
        [first, ..] => first,
    };
    let annotated = pod
        .pointer("/metadata/annotations")
        .and_then(|annotations| annotations.get(DEFAULT_CONTAINER)?.as_str())
        .filter(|name| main.iter().any(|known| known == name));
    Ok(match annotated {
        Some(name) => choice(name, ChoiceReason::Annotated),
        None => choice(first, ChoiceReason::First),
    })
}

fn container_mut<'p>(pod: &'p mut Value, name: &str) -> Option<&'p mut Value> {
    let spec = pod.get_mut("spec")?.as_object_mut()?;
    let lists = spec
        .iter_mut()
        .filter(|(field, _)| matches!(field.as_str(), "containers" | "initContainers"));
    lists
        .filter_map(|(_, list)| list.as_array_mut())
        .flatten()
        .find(|container| container.get("name").and_then(Value::as_str) == Some(name))
}

fn container_names(pod: &Value, list: &str) -> Vec<String> {
    let list = pod.get("spec").and_then(|spec| spec.get(list)?.as_array());
    let names = list.into_iter().flatten();
    names
        .filter_map(|container| container.get("name")?.as_str().map(str::to_owned))
        .collect()
}

/// The names that exist, and the one that was probably meant.
fn choices(known: &[String], wanted: &str) -> String {
    let there = match known {
        [] => return String::new(),
        [only] => format!("; available: {only}"),
        many => format!("; available: {}", many.join(", ")),
    };
    let meant = nearest(wanted, known.iter().map(String::as_str));
    match meant {
        Some(meant) if known.len() > 1 => format!("{there}; did you mean {meant}?"),
        _ => there,
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

    fn job() -> Value {
        json!({"spec": {"template": {"spec": {
            "initContainers": [{"name": "fetch", "image": "fetch:1"}],
            "containers": [{"name": "main", "image": "main:1"}, {"name": "proxy", "image": "proxy:1"}],
        }}}})
    }

    #[test]
    fn override_with_a_container_name_changes_only_that_container() {
        let of = |name: &str| Overrides {
            container: Some(name.to_owned()),
            image: Some("new".to_owned()),
            ..Overrides::default()
        };
        let mut changed = job();
        of("proxy").apply(&mut changed).unwrap();
        of("fetch").apply(&mut changed).unwrap();
        let pod = &changed["spec"]["template"]["spec"];
        assert_eq!(pod["containers"][0]["image"], "main:1");
        assert_eq!(pod["containers"][1]["image"], "new");
        assert_eq!(pod["initContainers"][0]["image"], "new");
    }

    #[test]
    fn no_overrides_change_nothing() {
        let mut same = job();
        assert_eq!(Overrides::default().apply(&mut same), Ok(None));
        assert_eq!(same, job());
        let named = Overrides {
            container: Some("mian".to_owned()),
            ..Overrides::default()
        };
        let error = named.apply(&mut same).unwrap_err().to_string();
        assert!(
            error.starts_with("container \"mian\" not found; "),
            "{error}"
        );
    }

    fn pod() -> Value {
        json!({
            "metadata": {"annotations": {DEFAULT_CONTAINER: "main"}},
            "spec": {
                "initContainers": [{"name": "fetch"}],
                "containers": [{"name": "proxy"}, {"name": "main"}],
            },
        })
    }

    #[track_caller]
    fn chooses(pod: &Value, named: Option<&str>, name: &str, why: ChoiceReason) {
        let choice = choose(pod, named).unwrap();
        assert_eq!((choice.name.as_str(), choice.why), (name, why));
    }

    #[test]
    fn container_is_selected_as_by_kubectl() {
        let mut pod = pod();
        chooses(&pod, None, "main", ChoiceReason::Annotated);
        assert_eq!(choose(&pod, None).unwrap().others, ["proxy"]);
        pod["metadata"]["annotations"] = json!({DEFAULT_CONTAINER: "gone"});
        chooses(&pod, None, "proxy", ChoiceReason::First);
        for name in ["proxy", "main", "fetch"] {
            chooses(&pod, Some(name), name, ChoiceReason::Named);
        }
        pod["spec"]["containers"] = json!([{"name": "alone"}]);
        chooses(&pod, None, "alone", ChoiceReason::Only);
    }

    #[test]
    fn unknown_container_is_an_error_with_a_suggestion() {
        let mut pod = pod();
        let said = |pod: &Value, name| choose(pod, Some(name)).unwrap_err().to_string();
        let expected =
            "container \"mian\" not found; available: proxy, main, fetch; did you mean main?";
        assert_eq!(said(&pod, "mian"), expected);
        pod["spec"] = json!({"containers": [{"name": "main"}]});
        let expected = "container \"x\" not found; available: main";
        assert_eq!(said(&pod, "x"), expected);
        pod["spec"] = Value::Null;
        assert_eq!(choose(&pod, None), Err(NoContainer::None));
        assert_eq!(said(&pod, "x"), "container \"x\" not found");
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
