//! Variables of a container's environment, changed as `kubectl set env` changes them.

use std::str::FromStr;

use serde_json::{Value, json};

/// A change of one variable: `NAME=VALUE` or `NAME-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvChange {
    /// The name of the variable.
    pub name: String,
    /// Its new value; `None` takes it away.
    pub value: Option<String>,
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
            None => Err("expected NAME=VALUE, or NAME- to take a variable away".to_owned()),
        }
    }
}

/// The variables afterwards: what is replaced keeps its place, since a value may refer to those
/// before it, and what is new comes last. An unknown name that should go is an error.
pub(super) fn changed(variables: &[Value], changes: &[EnvChange]) -> Result<Vec<Value>, String> {
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
            // Of several of one name the last counted, and the one new one does.
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

/// The variable that a change sets, with nothing of what it was before: one that came from
/// elsewhere can have no value of its own beside that.
fn set(change: &EnvChange) -> Option<Value> {
    let value = change.value.as_ref()?;
    Some(json!({"name": change.name, "value": value}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(text: &str) -> EnvChange {
        text.parse().unwrap()
    }

    #[test]
    fn names_and_values() {
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
    fn what_is_replaced_keeps_its_place() {
        let before = [
            json!({"name": "A", "value": "1"}),
            json!({"name": "B", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}),
            json!({"name": "C", "value": "$(B)"}),
            json!({"name": "B", "value": "again"}),
        ];
        let changes = [change("D=4"), change("B=2"), change("A-")];
        assert_eq!(
            changed(&before, &changes).unwrap(),
            [
                json!({"name": "B", "value": "2"}),
                json!({"name": "C", "value": "$(B)"}),
                json!({"name": "D", "value": "4"}),
            ]
        );
    }

    #[test]
    fn what_is_not_there_cannot_go() {
        assert_eq!(changed(&[], &[change("A-")]), Err("A".to_owned()));
    }
}
