//! Which of its files a kustomization uses as patches.

use super::Node;

/// The names of files that `kustomize` reads.
pub const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The files of a kustomization, as they are written in it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Kustomization {
    pub patches: Vec<String>,
    pub resources: Vec<String>,
}

impl Kustomization {
    /// Reads a kustomization; empty if it cannot be parsed.
    pub fn read(text: &str) -> Self {
        let mut named = Kustomization::default();
        // Most have none, and need not be parsed.
        if !text.contains("patches") {
            return named;
        }
        for document in super::parse(text).documents {
            let items = |key: &str| document.root.get(key).and_then(Node::as_sequence);
            for key in ["patches", "patchesJson6902"] {
                let paths = items(key).unwrap_or_default().iter();
                named
                    .patches
                    .extend(paths.filter_map(|item| text_of(item.get("path")?)));
            }
            // A patch may also be inline.
            let merges = items("patchesStrategicMerge").unwrap_or_default().iter();
            let merges = merges
                .filter_map(text_of)
                .filter(|text| !text.contains('\n'));
            named.patches.extend(merges);
            let resources = items("resources").unwrap_or_default().iter();
            named.resources.extend(resources.filter_map(text_of));
        }
        named
    }
}

fn text_of(node: &Node) -> Option<String> {
    node.as_str().map(str::to_owned)
}
