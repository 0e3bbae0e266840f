//! CronJobs with all their fields, as the server has them.

use std::collections::HashSet;

use prost::bytes::BytesMut;
use serde::Deserialize;
use serde_json::Value;

use super::api_request::JSON;
use super::error::ClusterError;
use super::session::Session;
use super::status::beginning;
use super::survey::{ClusterQuery, cannot_list};

/// A list begins again if its continue token has expired, but not indefinitely.
const RECOVERIES: u32 = 3;
/// Far more pages than any cluster has.
const MOST_PAGES: usize = 10_000;

#[derive(Deserialize)]
struct Page {
    metadata: PageMetadata,
    items: Vec<Value>,
}

#[derive(Deserialize)]
struct PageMetadata {
    #[serde(default)]
    r#continue: String,
}

/// A CronJob with all its fields, after its namespace and name.
pub(crate) type WholeCronJob = ((String, String), Value);

impl Session {
    /// The CronJobs of a namespace, or of all, as JSON, without their status. Of those that are not
    /// wanted only what identifies them and the spec is kept.
    pub(crate) fn whole_cron_jobs(
        &self,
        query: &ClusterQuery,
        is_wanted: impl Fn(&str, &str) -> bool,
    ) -> Result<Vec<WholeCronJob>, ClusterError> {
        let mut recoveries = 0;
        loop {
            match self.pages(query, &is_wanted) {
                Err(error)
                    if recoveries < RECOVERIES
                        && error.status().is_some_and(|status| status.code == 410) =>
                {
                    recoveries += 1;
                }
                Err(error) => return Err(cannot_list(&query.resource.qualified(), error)),
                Ok(objects) => return Ok(objects),
            }
        }
    }

    fn pages(
        &self,
        query: &ClusterQuery,
        is_wanted: &impl Fn(&str, &str) -> bool,
    ) -> Result<Vec<WholeCronJob>, ClusterError> {
        let path = query.resource.path(query.namespace.as_deref());
        let list = query.query();
        let mut objects = Vec::new();
        let mut tokens: HashSet<String> = HashSet::new();
        let mut token: Option<String> = None;
        loop {
            let uri = list.uri(&path, token.as_deref());
            let answer = self.wait(self.transport.page_into(BytesMut::new(), &uri, JSON))?;
            let page: Page = serde_json::from_slice(&answer.body).map_err(|error| {
                let found = beginning(&answer.body);
                let why = format!("expected a list, found {found} ({error})");
                self.transport.not_kubernetes(&path, why)
            })?;
            let slim = page.items.into_iter().map(|object| kept(object, is_wanted));
            objects.extend(slim);
            let next = page.metadata.r#continue;
            if next.is_empty() {
                return Ok(objects);
            }
            if !tokens.insert(next.clone()) || tokens.len() > MOST_PAGES {
                let why = "the list does not end".to_owned();
                return Err(self.transport.not_kubernetes(&path, why));
            }
            token = Some(next);
        }
    }
}

/// What is kept of an object: most of it are fields that nothing depends on.
fn kept(mut object: Value, is_wanted: &impl Fn(&str, &str) -> bool) -> WholeCronJob {
    let text = |field: &str| {
        let text = object
            .get("metadata")
            .and_then(|it| it.get(field)?.as_str());
        text.unwrap_or_default().to_owned()
    };
    let (namespace, name) = (text("namespace"), text("name"));
    let is_wanted = is_wanted(&namespace, &name);
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
    }
    if !is_wanted && let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        metadata.retain(|field, _| matches!(field.as_str(), "name" | "namespace"));
    }
    ((namespace, name), object)
}
