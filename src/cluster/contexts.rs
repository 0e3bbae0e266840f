//! Selects contexts of a kubeconfig: names, patterns with `*`, and exclusions with `!`.

use std::collections::BTreeSet;

use super::access::{Access, tried_files};
use super::error::ClusterError;
use super::kubeconfig::KubeconfigNames;
use crate::spelling::meant;

/// The contexts that `--context` selects.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ContextSelection {
    /// The name of one context, which need not exist.
    One(String),
    /// A selection that can match several.
    Several {
        names: Vec<String>,
        /// The contexts that are left out because another one has the same cluster and user.
        same: Vec<(String, String)>,
    },
}

impl Access {
    /// The contexts that the values of `--context` select, or `all` that they do not exclude. The name of an
    /// existing context is not a pattern. Contexts that differ only in their namespaces are the same unless
    /// `by_namespace`.
    pub(crate) fn select_contexts(
        &self,
        values: &[String],
        all: bool,
        by_namespace: bool,
    ) -> Result<ContextSelection, ClusterError> {
        let one = values.first().filter(|_| values.len() == 1 && !all);
        if let Some(name) = one.filter(|name| !name.contains([',', '*', '!'])) {
            return Ok(ContextSelection::One(name.clone()));
        }
        let Some((kubeconfig, source_name)) = self.kubeconfig()? else {
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
        let known = KubeconfigNames::of(&kubeconfig).contexts;
        if let Some(name) = one.filter(|name| known.contains(name)) {
            return Ok(ContextSelection::One(name.clone()));
        }
        let mut names = chosen(values, all, &known).map_err(|name| {
            let near = meant(name.trim_matches('*'), known.iter().map(String::as_str));
            ClusterError::NotInKubeconfig {
                context: None,
                what: "context",
                name: name.to_owned(),
                source_name,
                known: near.map_or_else(|| known.clone(), |near| vec![near]),
            }
        })?;
        // The first context of each cluster, user and namespace.
        let mut firsts: Vec<(_, String)> = Vec::new();
        let mut same = Vec::new();
        names.retain(|name| {
            let mut contexts = kubeconfig.contexts.iter();
            let named = contexts.find(|named| named.name == *name);
            let Some(context) = named.and_then(|named| named.context.as_ref()) else {
                return true;
            };
            let namespace = context.namespace.as_ref().filter(|_| by_namespace);
            let user = self.user.as_ref().or(context.user.as_ref());
            let place = (&context.cluster, user, namespace);
            let first = firsts.iter().find(|(other, _)| *other == place);
            let is_first = first.is_none();
            same.extend(first.map(|(_, first)| (name.clone(), first.clone())));
            if is_first {
                firsts.push((place, name.clone()));
            }
            is_first
        });
        Ok(ContextSelection::Several { names, same })
    }
}

/// The names that are selected, in the order in which they are; the first part that no name matches is an error.
fn chosen<'v>(values: &'v [String], all: bool, known: &[String]) -> Result<Vec<String>, &'v str> {
    let is_known = |name: &str| known.iter().any(|known| known == name);
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
        let is_name = is_known(pattern);
        let matches = |name: &&String| *name == pattern || (!is_name && fits(pattern, name));
        let mut matching = known.iter().filter(matches).peekable();
        if matching.peek().is_none() {
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
