//! The pods of Jobs that do not get on, and what happened to them.

use super::error::Error;
use super::list::{Lister, joined};
use super::resource::{Query, Resource};
use super::session::Session;
use super::survey::{Lack, Missing, cannot_list};
use crate::model::{Event, Pod, Sighting};

/// The label that names the Job of a pod. There is a longer one since 1.27, but this one stays.
const JOB_LABEL: &str = "job-name";

impl Session {
    /// The pods of Jobs of a namespace, with the events about them.
    pub fn pods(
        &self,
        namespace: &str,
        jobs: &[String],
    ) -> Result<(Sighting, Option<Lack>), Error> {
        self.wait(self.pods_at_once(namespace, jobs))
    }

    async fn pods_at_once(
        &self,
        namespace: &str,
        jobs: &[String],
    ) -> Result<(Sighting, Option<Lack>), Error> {
        let mut seen = Sighting::default();
        let lister = |resource: &str, query: Query| {
            let resource = Resource::new(resource, "v1", "");
            Lister::new(&self.transport, &resource, Some(namespace), query)
        };
        let lists: Vec<_> = jobs
            .iter()
            .map(|job| Query {
                label_selector: Some(format!("{JOB_LABEL}={job}")),
                limit: PAGE,
                ..Query::default()
            })
            .map(|query| tokio::spawn(lister("pods", query).list::<Pod>()))
            .collect();
        for list in lists {
            match joined(list.await) {
                Ok(listing) => seen.pods.extend(listing.items),
                Err(error) => return without(error, Missing::Pods, seen),
            }
        }
        let lists: Vec<_> = seen
            .pods
            .iter()
            .take(MANY)
            .map(|pod| Query {
                field_selector: Some(format!(
                    "involvedObject.kind=Pod,involvedObject.name={}",
                    pod.name
                )),
                limit: PAGE,
                ..Query::default()
            })
            .map(|query| tokio::spawn(lister("events", query).list::<Event>()))
            .collect();
        for list in lists {
            match joined(list.await) {
                Ok(listing) => seen.events.extend(listing.items),
                Err(error) => return without(error, Missing::Events, seen),
            }
        }
        Ok((seen, None))
    }
}

/// The events of more pods than these say the same again.
const MANY: usize = 10;
const PAGE: u32 = 500;

/// What the rights do not reach is missing; every other error is one.
fn without(error: Error, what: Missing, seen: Sighting) -> Result<(Sighting, Option<Lack>), Error> {
    if error.is_forbidden() {
        let why = error.to_string();
        return Ok((seen, Some(Lack { what, why })));
    }
    Err(cannot_list(what.resource(), error))
}
