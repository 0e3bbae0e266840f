//! What one run does otherwise than its template says.

use serde_json::{Value, json};

use super::container::{self, Choice, NoContainer, choices, choose};
use super::env::{self, EnvChange};

/// What one run does otherwise than its template says: of one container.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// The container; the usual one if it is not named.
    pub container: Option<String>,
    /// Another image.
    pub image: Option<String>,
    /// Another command, with its arguments; empty for that of the template.
    pub command: Vec<String>,
    /// Other variables.
    pub env: Vec<EnvChange>,
}

/// Why a run cannot do otherwise.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OverrideError {
    /// There is no such container.
    #[error(transparent)]
    Container(#[from] NoContainer),
    /// A variable that should go is not there.
    #[error(
        "container {container} has no variable {name}{}{}",
        if *from_elsewhere { " of its own, and what envFrom brings can only be set" } else { "" },
        choices(known, name)
    )]
    NoVariable {
        /// The container.
        container: String,
        /// The variable.
        name: String,
        /// The variables that it has.
        known: Vec<String>,
        /// Whether it may have it by `envFrom`.
        from_elsewhere: bool,
    },
    /// A variable is given more than once.
    #[error("--env: {0} is given more than once")]
    Twice(String),
}

impl Overrides {
    /// Whether the run does just what the template says.
    pub fn is_empty(&self) -> bool {
        self.image.is_none() && self.command.is_empty() && self.env.is_empty()
    }

    /// Changes a Job, and says which container was changed; `None` where nothing is.
    pub fn apply(&self, job: &mut Value) -> Result<Option<Choice>, OverrideError> {
        self.check()?;
        let template = job.pointer_mut("/spec/template");
        let template = template.ok_or(NoContainer::None)?;
        if self.is_empty() {
            // What is named must be there, even if nothing is done to it.
            if let Some(name) = &self.container {
                choose(template, Some(name))?;
            }
            return Ok(None);
        }
        let choice = choose(template, self.container.as_deref())?;
        let container = container::container_mut(template, &choice.name)
            .and_then(Value::as_object_mut)
            .ok_or(NoContainer::None)?;
        if let Some(image) = &self.image {
            container.insert("image".to_owned(), json!(image));
        }
        if !self.command.is_empty() {
            container.insert("command".to_owned(), json!(self.command));
            container.shift_remove("args");
        }
        if !self.env.is_empty() {
            let before = container.get("env").and_then(Value::as_array);
            let before: &[Value] = before.map_or(&[], Vec::as_slice);
            let after = env::changed(before, &self.env).map_err(|name| {
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
        Ok(Some(choice))
    }

    /// What can be said before any template is seen.
    pub fn check(&self) -> Result<(), OverrideError> {
        let names = self.env.iter().enumerate();
        let mut again = names.filter(|(index, change)| {
            let before = self.env.iter().take(*index);
            before.into_iter().any(|other| other.name == change.name)
        });
        match again.next() {
            Some((_, change)) => Err(OverrideError::Twice(change.name.clone())),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::Why;

    fn job() -> Value {
        json!({"spec": {"template": {"spec": {
            "restartPolicy": "Never",
            "initContainers": [{"name": "fetch", "image": "fetch:1"}],
            "containers": [
                {
                    "name": "main",
                    "image": "main:1",
                    "command": ["run"],
                    "args": ["--all"],
                    "env": [{"name": "MODE", "value": "full"}],
                    "brandNew": true,
                },
                {"name": "proxy", "image": "proxy:1", "envFrom": [{}]},
            ],
        }}}})
    }

    fn container(job: &Value, index: usize) -> Value {
        job["spec"]["template"]["spec"]["containers"][index].clone()
    }

    #[test]
    fn one_container_is_changed() {
        let overrides = Overrides {
            image: Some("main:2".to_owned()),
            command: ["sh", "-c", "date"].map(str::to_owned).to_vec(),
            env: vec!["MODE=dry".parse().unwrap(), "X=1".parse().unwrap()],
            ..Overrides::default()
        };
        let mut changed = job();
        let choice = overrides.apply(&mut changed).unwrap().unwrap();
        assert_eq!((choice.name.as_str(), choice.why), ("main", Why::First));
        let expected = json!({
            "name": "main",
            "image": "main:2",
            "command": ["sh", "-c", "date"],
            "env": [{"name": "MODE", "value": "dry"}, {"name": "X", "value": "1"}],
            "brandNew": true,
        });
        assert_eq!(container(&changed, 0), expected);
        assert_eq!(container(&changed, 1), container(&job(), 1));
    }

    #[test]
    fn another_container() {
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
    fn nothing_is_changed() {
        let mut same = job();
        assert_eq!(Overrides::default().apply(&mut same), Ok(None));
        assert_eq!(same, job());
        let named = Overrides {
            container: Some("mian".to_owned()),
            ..Overrides::default()
        };
        assert_eq!(
            named.apply(&mut same).unwrap_err().to_string(),
            "there is no container \"mian\"; there are main, proxy, fetch; did you mean main?"
        );
    }

    #[test]
    fn variables_that_are_wrong() {
        let said = |container: &str, env: &[&str]| {
            let overrides = Overrides {
                container: Some(container.to_owned()),
                env: env.iter().map(|text| text.parse().unwrap()).collect(),
                ..Overrides::default()
            };
            overrides.apply(&mut job()).unwrap_err().to_string()
        };
        assert_eq!(
            said("main", &["MODES-"]),
            "container main has no variable MODES; there is MODE"
        );
        assert_eq!(
            said("proxy", &["TOKEN-"]),
            "container proxy has no variable TOKEN of its own, and what envFrom brings can only be \
             set"
        );
        assert_eq!(
            said("main", &["A=1", "A-"]),
            "--env: A is given more than once"
        );
    }
}
