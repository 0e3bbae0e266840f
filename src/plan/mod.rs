//! What a change of manifests leads to.
mod apply;
