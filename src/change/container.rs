//! Which container of a template is meant.

use serde_json::Value;

use crate::spelling::nearest;

/// The annotation of pods that names the container which kubectl takes.
const DEFAULT_CONTAINER: &str = "kubectl.kubernetes.io/default-container";

/// A container that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Its name.
    pub name: String,
    /// Why this one.
    pub why: Why,
    /// The names of the other containers, without those that only prepare.
    pub others: Vec<String>,
}

/// Why a container was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It was asked for.
    Named,
    /// There is no other.
    Only,
    /// The annotation `kubectl.kubernetes.io/default-container` names it.
    Annotated,
    /// It is the first.
    First,
}

/// Why no container can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoContainer {
    /// There is none of that name.
    #[error("there is no container {name:?}{}", choices(known, name))]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The names that there are.
        known: Vec<String>,
    },
    /// There are none at all.
    #[error("the template has no containers")]
    None,
}

/// Chooses a container of a pod, or of the template of one, as `kubectl logs` does: the one that is
/// named; or else the one that the pod's annotation names; or else the first.
pub fn choose(pod: &Value, named: Option<&str>) -> Result<Choice, NoContainer> {
    let main = names(pod, "containers");
    let choice = |name: &str, why| Choice {
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
        known.extend(names(pod, "initContainers"));
        return if known.iter().any(|known| known == name) {
            Ok(choice(name, Why::Named))
        } else {
            let name = name.to_owned();
            Err(NoContainer::Unknown { name, known })
        };
    }
    let first = match main.as_slice() {
        [] => return Err(NoContainer::None),
        [only] => return Ok(choice(only, Why::Only)),
        [first, ..] => first,
    };
    let annotated = pod
        .pointer("/metadata/annotations")
        .and_then(|annotations| annotations.get(DEFAULT_CONTAINER)?.as_str())
        .filter(|name| main.iter().any(|known| known == name));
    Ok(match annotated {
        Some(name) => choice(name, Why::Annotated),
        None => choice(first, Why::First),
    })
}

/// The container of a name.
pub(super) fn container_mut<'p>(pod: &'p mut Value, name: &str) -> Option<&'p mut Value> {
    let spec = pod.get_mut("spec")?.as_object_mut()?;
    let lists = spec
        .iter_mut()
        .filter(|(field, _)| matches!(field.as_str(), "containers" | "initContainers"));
    lists
        .filter_map(|(_, list)| list.as_array_mut())
        .flatten()
        .find(|container| container.get("name").and_then(Value::as_str) == Some(name))
}

fn names(pod: &Value, list: &str) -> Vec<String> {
    let list = pod.get("spec").and_then(|spec| spec.get(list)?.as_array());
    let names = list.into_iter().flatten();
    names
        .filter_map(|container| container.get("name")?.as_str().map(str::to_owned))
        .collect()
}

/// The names there are, and the one that was probably meant.
pub(super) fn choices(known: &[String], wanted: &str) -> String {
    let there = match known {
        [] => return String::new(),
        [only] => format!("; there is {only}"),
        many => format!("; there are {}", many.join(", ")),
    };
    let meant = nearest(wanted, known.iter().map(String::as_str));
    match meant {
        Some(meant) if known.len() > 1 => format!("{there}; did you mean {meant}?"),
        _ => there,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pod() -> Value {
        json!({
            "metadata": {"annotations": {DEFAULT_CONTAINER: "main"}},
            "spec": {
                "initContainers": [{"name": "fetch"}],
                "containers": [{"name": "proxy"}, {"name": "main"}],
            },
        })
    }

    fn chosen(pod: &Value, named: Option<&str>) -> (String, Why) {
        let choice = choose(pod, named).unwrap();
        (choice.name, choice.why)
    }

    #[test]
    fn as_kubectl_chooses() {
        let mut pod = pod();
        assert_eq!(chosen(&pod, None), ("main".to_owned(), Why::Annotated));
        assert_eq!(choose(&pod, None).unwrap().others, ["proxy"]);
        pod["metadata"]["annotations"] = json!({DEFAULT_CONTAINER: "gone"});
        assert_eq!(chosen(&pod, None), ("proxy".to_owned(), Why::First));
        for name in ["proxy", "main", "fetch"] {
            assert_eq!(chosen(&pod, Some(name)), (name.to_owned(), Why::Named));
        }
        pod["spec"]["containers"] = json!([{"name": "alone"}]);
        assert_eq!(chosen(&pod, None), ("alone".to_owned(), Why::Only));
    }

    #[test]
    fn containers_that_are_not_there() {
        let mut pod = pod();
        let said = |pod: &Value, name| choose(pod, Some(name)).unwrap_err().to_string();
        assert_eq!(
            said(&pod, "mian"),
            "there is no container \"mian\"; there are proxy, main, fetch; did you mean main?"
        );
        pod["spec"] = json!({"containers": [{"name": "main"}]});
        assert_eq!(
            said(&pod, "x"),
            "there is no container \"x\"; there is main"
        );
        pod["spec"] = Value::Null;
        assert_eq!(choose(&pod, None), Err(NoContainer::None));
        assert_eq!(said(&pod, "x"), "there is no container \"x\"");
    }
}
