//! The names of CronJobs, for whoever types one.

use std::time::Duration;

use serde::Deserialize;

use super::error::Error;
use super::resource::{Query, Resource};
use super::session::Session;

/// Names alone are asked for: the objects are a hundred times as long.
const NAMES_ONLY: &str =
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io, application/json";
/// Nobody reads more.
const MANY: u32 = 500;

#[derive(Deserialize)]
struct List {
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Metadata {
    name: String,
}

impl Session {
    /// The names of the CronJobs of a namespace, or of all, as far as they come within a time.
    pub fn names(
        &self,
        resource: &Resource,
        namespace: Option<&str>,
        within: Duration,
    ) -> Result<Vec<String>, Error> {
        let query = Query {
            limit: MANY,
            ..Query::default()
        };
        let uri = query.uri(&resource.path(namespace), None);
        let mut transport = self.transport.clone();
        transport.deadline = Some(within);
        let answer = self.wait(transport.get(&uri, NAMES_ONLY))?;
        let list: List = serde_json::from_slice(&answer.body)
            .map_err(|error| transport.not_kubernetes(&uri, error.to_string()))?;
        let mut names: Vec<String> = list
            .items
            .into_iter()
            .map(|item| item.metadata.name)
            .collect();
        names.dedup();
        Ok(names)
    }
}
