//! The container of a pod that is meant, chosen as kubectl does.

use serde_json::Value;

use cronjob_text::spelling::nearest;

/// The annotation of pods that names kubectl's default container.
const DEFAULT_CONTAINER: &str = "kubectl.kubernetes.io/default-container";

/// The container that was chosen, and why.
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

fn container_names(pod: &Value, list: &str) -> Vec<String> {
    let list = pod.get("spec").and_then(|spec| spec.get(list)?.as_array());
    let names = list.into_iter().flatten();
    names
        .filter_map(|container| container.get("name")?.as_str().map(str::to_owned))
        .collect()
}

/// The names that exist, and the one that was probably meant.
pub(super) fn choices(known: &[String], wanted: &str) -> String {
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
}
