//! Selects contexts of a kubeconfig: names, patterns with `*`, and exclusions with `!`.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use super::access::{Access, tried_files};
use super::error::ClusterError;
use crate::access::ContextSelection;
use cronjob_text::spelling::meant;

impl Access {
    /// The contexts that the values of `--context` select, or `all` that they do not exclude. The name of an
    /// existing context is not a pattern. Contexts that differ only in their namespaces are the same unless
    /// `by_namespace`.
    pub fn select_contexts(
        &self,
        values: &[String],
        all: bool,
        by_namespace: bool,
    ) -> Result<ContextSelection, ClusterError> {
        let one = values.first().filter(|_| values.len() == 1 && !all);
        if let Some(name) = one.filter(|name| !name.contains([',', '*', '!'])) {
            return Ok(ContextSelection::One(name.clone()));
        }
        let Some(kubeconfig) = self.kubeconfig()? else {
            return Err(ClusterError::NoKubeconfig {
                what: "context",
                name: if all {
                    "*".to_owned()
                } else {
                    values.join(",")
                },
                tried: tried_files(),
            });
        };
        let known = &kubeconfig.names.contexts;
        if let Some(name) = one.filter(|name| known.contains(name)) {
            return Ok(ContextSelection::One(name.clone()));
        }
        let mut names = chosen(values, all, known).map_err(|name| {
            let near = meant(name.trim_matches('*'), known.iter().map(String::as_str));
            ClusterError::NotInKubeconfig {
                context: None,
                what: "context",
                name: name.to_owned(),
                source_name: kubeconfig.source_name.clone(),
                known: near.map_or_else(|| known.clone(), |near| vec![near]),
            }
        })?;
        // The first context of each cluster, user and namespace.
        let mut firsts: HashMap<_, String> = HashMap::new();
        let mut same = Vec::new();
        names.retain(|name| {
            let Some(context) = kubeconfig.contexts.get(name) else {
                return true;
            };
            let namespace = context.namespace.as_ref().filter(|_| by_namespace);
            let user = self.user.as_ref().or(context.user.as_ref());
            let place = (&context.cluster, user, namespace);
            match firsts.entry(place) {
                Entry::Occupied(first) => {
                    same.push((name.clone(), first.get().clone()));
                    false
                }
                Entry::Vacant(place) => {
                    place.insert(name.clone());
                    true
                }
            }
        });
        Ok(ContextSelection::Several { names, same })
    }
}

/// The names that are selected, in the order in which they are; the first part that no name matches is an error.
fn chosen<'v>(values: &'v [String], all: bool, known: &[String]) -> Result<Vec<String>, &'v str> {
    let names: HashMap<&str, &String> = known.iter().map(|name| (name.as_str(), name)).collect();
    let is_known = |name: &str| names.contains_key(name);
    let parts = values.iter().flat_map(|value| match value.as_str() {
        value if is_known(value) => vec![value],
        value => value.split(',').map(str::trim).collect(),
    });
    let (mut included, mut excluded) = (Vec::new(), BTreeSet::new());
    // Without anything to include, everything else is.
    let mut is_all = true;
    for part in parts.filter(|part| !part.is_empty()) {
        let exclusion = part.strip_prefix('!').filter(|_| !is_known(part));
        let pattern = exclusion.unwrap_or(part);
        let matching: Vec<&String> = match names.get(pattern) {
            Some(name) => vec![name],
            None => known.iter().filter(|name| fits(pattern, name)).collect(),
        };
        if matching.is_empty() {
            return Err(pattern);
        }
        if exclusion.is_some() {
            excluded.extend(matching);
        } else {
            is_all = false;
            included.extend(matching);
        }
    }
    if all || is_all {
        included.extend(known);
    }
    let mut seen = excluded;
    included.retain(|name| seen.insert(name));
    Ok(included.into_iter().cloned().collect())
}

/// Whether a name matches a pattern in which `*` stands for any text.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut left) = name.strip_prefix(start) else {
        return false;
    };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*') {
        match left.split_once(part) {
            Some((_, after)) => left = after,
            None => return false,
        }
    }
    left.ends_with(end)
}
