//! The files that a kustomization names.

use crate::document::{self, Node};

/// What kustomize takes for a kustomization.
pub const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The files that a kustomization names, as they are written in it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Kustomization {
    /// Those with patches.
    pub patches: Vec<String>,
    /// Those with whole manifests.
    pub resources: Vec<String>,
}

impl Kustomization {
    /// Reads a kustomization. One that cannot be read names nothing.
    pub fn read(text: &str) -> Self {
        let mut named = Kustomization::default();
        // Most have none, and need not be parsed.
        if !text.contains("patches") {
            return named;
        }
        for document in document::parse(text).documents {
            let items = |key: &str| document.root.get(key).and_then(Node::as_sequence);
            for key in ["patches", "patchesJson6902"] {
                let paths = items(key).unwrap_or_default().iter();
                named
                    .patches
                    .extend(paths.filter_map(|item| text_of(item.get("path")?)));
            }
            // A patch may also be written out here.
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
