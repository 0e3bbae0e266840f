//! A Job that was made, as everyone passes it around.

use std::sync::Arc;

use serde_json::Value;

use crate::model::Job;
use crate::snapshot::{Evidence, Options, SourceText};

/// The Job as the server has it, with all that it says of how far it is: one that was looked up,
/// since the answer was lost, may be over, and whoever watches from its version on hears no more
/// of it.
pub(in crate::cli) fn as_job(object: &Value) -> Job {
    let source = SourceText {
        name: Arc::from("the server"),
        text: object.to_string(),
    };
    let mut evidence = Evidence::default();
    evidence.add(&source, &Options::default());
    evidence.jobs.pop().unwrap_or_default()
}
