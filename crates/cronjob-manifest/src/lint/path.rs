//! Finds the node of a field by its path in the API.

use located_yaml::{Entry, Node, NodeStyle, Place, Value};

#[derive(Clone, Copy, Debug)]
pub(super) struct PathTarget<'n> {
    /// The value; `None` if the field is unset.
    pub(super) node: Option<&'n Node>,
    /// The last existing entry of the path: that of the field, or of a parent.
    pub(super) entry: Option<&'n Entry>,
    /// The last existing node of the path.
    pub(super) nearest: &'n Node,
    /// Whether no part of the path comes from an alias or a merge key, or has an anchor for others: only
    /// then does a change not affect anything else.
    pub(super) is_own: bool,
    /// Whether it is within brackets or braces, where commas are special.
    pub(super) in_flow: bool,
}

/// Follows a path such as `spec.containers[0].name` or `metadata.labels[example.com/tier]`.
pub(super) fn follow<'n>(root: &'n Node, text: &str, path: &str) -> PathTarget<'n> {
    let mut found = PathTarget {
        node: Some(root),
        entry: None,
        nearest: root,
        is_own: true,
        in_flow: false,
    };
    for step in steps(path) {
        let from = found.nearest;
        let next = match &from.value {
            Value::Sequence(items) => item(from, items, step),
            Value::Mapping(mapping) => mapping.entry(step).map(|entry| PathStep {
                entry: Some(entry),
                node: &entry.value,
                behind: entry.key.place.span.end,
            }),
            _ => None,
        };
        let Some(PathStep {
            entry,
            node,
            behind,
        }) = next
        else {
            found.node = None;
            return found;
        };
        let merged = entry.is_some_and(|entry| entry.merged);
        found.is_own &= !merged && stands_behind(behind, node, text);
        found.in_flow |= from.style == NodeStyle::Flow;
        found.nearest = node;
        found.node = Some(node);
        // An item has no key of its own: of the list's key it would be said that it is the item's.
        found.entry = entry;
    }
    found
}

/// A value in a list or a mapping.
struct PathStep<'n> {
    /// `None` in a list.
    entry: Option<&'n Entry>,
    node: &'n Node,
    /// Where the text ends that stands before the value: its key, or the items before it.
    behind: u32,
}

/// An item of a list.
fn item<'n>(list: &Node, items: &'n [Node], step: &str) -> Option<PathStep<'n>> {
    let index: usize = step.parse().ok()?;
    let earlier = items.get(..index)?.iter().map(|item| item.place.span.end);
    let behind = earlier.max().unwrap_or(0).max(list.place.span.start);
    Some(PathStep {
        entry: None,
        node: items.get(index)?,
        behind,
    })
}

/// Whether a value is at its own position, without an anchor in front of it.
fn stands_behind(behind: u32, node: &Node, text: &str) -> bool {
    let between = text.get(behind as usize..node.place.span.range().start);
    between.is_some_and(|between| !between.contains('&'))
}

impl PathTarget<'_> {
    /// What a finding about the field points to: a value on the same line, or else the key.
    pub(super) fn place(&self) -> Place {
        let large = self.node.is_none()
            || matches!(
                self.nearest.style,
                NodeStyle::Block | NodeStyle::Literal | NodeStyle::Folded
            );
        match self.entry {
            Some(entry) if large || self.nearest.is_null() => entry.key.place,
            _ => self.nearest.place,
        }
    }
}

/// The steps of a path. Keys with dots are in brackets, as in messages of the API server.
fn steps(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = path;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches('.');
        if rest.is_empty() {
            return None;
        }
        if let Some(inside) = rest.strip_prefix('[') {
            let (step, after) = inside.split_once(']').unwrap_or((inside, ""));
            rest = after;
            return Some(step);
        }
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let (step, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        rest = after;
        Some(step)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use located_yaml::parse;

    fn line_and_column(text: &str, path: &str) -> (u32, u32) {
        let parsed = parse(text);
        let place = follow(&parsed.documents[0].root, text, path).place();
        (place.line, place.column)
    }

    #[test]
    fn steps_are_keys_indices_and_keys_in_brackets() {
        let all: Vec<_> = steps("a.b[0].c[x.y/z].d").collect();
        assert_eq!(all, ["a", "b", "0", "c", "x.y/z", "d"]);
        assert_eq!(steps("").count(), 0);
    }

    #[test]
    fn place_of_a_path_is_the_value_or_the_nearest_key() {
        let text = "spec:\n  list:\n  - name: a\n  labels: {x.y/z: 1}\n  empty:\n";
        assert_eq!(line_and_column(text, "spec.list[0].name"), (3, 11));
        assert_eq!(line_and_column(text, "spec.labels[x.y/z]"), (4, 19));
        // What is large, empty or missing is shown at a key.
        assert_eq!(line_and_column(text, "spec.list"), (2, 3));
        assert_eq!(line_and_column(text, "spec.empty"), (5, 3));
        assert_eq!(line_and_column(text, "spec.missing.deep"), (1, 1));
        assert_eq!(line_and_column(text, "spec.list[7]"), (2, 3));
    }

    #[test]
    fn value_of_an_alias_or_merge_key_is_not_own() {
        let text = "a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n  e: [&y 1, *y, 2]\n";
        let parsed = parse(text);
        let own = |path: &str| follow(&parsed.documents[0].root, text, path).is_own;
        assert!(own("d") && own("d.e") && own("d.e[2]"));
        for path in ["a", "a.b", "c", "c.b", "d.b", "d.e[0]", "d.e[1]"] {
            assert!(!own(path), "{path}");
        }
    }
}
