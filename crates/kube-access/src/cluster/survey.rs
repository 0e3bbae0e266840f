//! Reads CronJobs, Jobs, events and quotas concurrently.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use super::error::ClusterError;
use super::list::{Lister, Listing, joined};
use super::resource::ListQuery;
use super::session::Session;
use crate::objects::{ClusterObjects, ReadProgress};
use kube_model::{CronJob, Event, Job, ResourceKind, ResourceQuota, UnreadResource};
use kube_objects::query::{ObjectQuery, PodSelection, Resource};

const QUOTAS: &str = "resourcequotas";

impl Session {
    /// Reads what is wanted. Only a failure to read CronJobs is an error.
    pub fn survey(
        &self,
        wanted: &ObjectQuery,
        progress: &ReadProgress,
    ) -> Result<ClusterObjects, ClusterError> {
        self.wait(self.survey_at_once(wanted, progress))
    }

    async fn survey_at_once(
        &self,
        wanted: &ObjectQuery,
        progress: &ReadProgress,
    ) -> Result<ClusterObjects, ClusterError> {
        let cron_jobs = {
            let (resource, count) = (&wanted.resource, &progress.cron_jobs);
            let lister = self.lister(resource, wanted, ListQuery::of(wanted), count);
            tokio::spawn(lister.list::<CronJob>())
        };
        let lists = wanted.jobs.then(|| {
            let jobs = self.lister(
                &Resource::jobs(),
                wanted,
                ListQuery::whole(wanted),
                &progress.jobs,
            );
            let events = self.events(wanted, "CronJob", progress);
            let of_jobs = (wanted.pods == PodSelection::OfUnsettled)
                .then(|| tokio::spawn(self.events(wanted, "Job", progress).list::<Event>()));
            (
                tokio::spawn(jobs.list::<Job>()),
                tokio::spawn(events.list::<Event>()),
                of_jobs,
            )
        });
        let listing = match joined(cron_jobs.await) {
            Ok(listing) => listing,
            Err(error) => return Err(self.no_cron_jobs(wanted, error).await),
        };
        let mut found = ClusterObjects {
            cron_jobs: listing.items,
            date: listing.date,
            problems: listing.problems,
            ..ClusterObjects::default()
        };
        found.versions.cron_jobs = listing.resource_version;
        found.keep_named(wanted);
        // Without CronJobs, quotas do not matter.
        let quotas = (wanted.pods.with_quotas() && !found.cron_jobs.is_empty())
            .then(|| tokio::spawn(self.quotas_of(wanted).list::<ResourceQuota>()));
        if let Some((jobs, events, of_jobs)) = lists {
            if let Some(listing) = found.unless_forbidden(joined(jobs.await), ResourceKind::Jobs)? {
                found.versions.jobs = Some(listing.resource_version);
                found.seen.jobs = listing.items;
            }
            let listing = joined(events.await);
            if let Some(listing) = found.unless_forbidden(listing, ResourceKind::Events)? {
                found.versions.events = Some(listing.resource_version);
                found.seen.events = listing.items;
            }
            if let Some(events) = of_jobs {
                let listing = joined(events.await);
                if let Some(listing) = found.unless_forbidden(listing, ResourceKind::Events)? {
                    found.seen.events.extend(listing.items);
                }
            }
        }
        if let Some(quotas) = quotas {
            // Few roles allow to read quotas, and most namespaces have none.
            if let Ok(listing) = allowed(joined(quotas.await), QUOTAS)? {
                found.problems.extend(listing.problems);
                found.seen.quotas = listing.items;
            }
        }
        Ok(found)
    }

    /// Reads the quotas again. Without permission there are none.
    pub fn quotas(&self, wanted: &ObjectQuery) -> Result<Vec<ResourceQuota>, ClusterError> {
        let quotas = self.wait(self.quotas_of(wanted).list::<ResourceQuota>());
        Ok(allowed(quotas, QUOTAS)?.map_or_else(|_| Vec::new(), |listing| listing.items))
    }

    /// Reads the Jobs of a namespace again. Without permission there are none.
    pub fn jobs_of(&self, wanted: &ObjectQuery, namespace: &str) -> Result<Vec<Job>, ClusterError> {
        let jobs = Resource::jobs();
        let lister = Lister::new(
            &self.transport,
            &jobs,
            Some(namespace),
            ListQuery::whole(wanted),
        );
        let jobs = allowed(self.wait(lister.list::<Job>()), "jobs.batch")?;
        Ok(jobs.map_or_else(|_| Vec::new(), |listing| listing.items))
    }

    fn quotas_of(&self, wanted: &ObjectQuery) -> Lister {
        let quotas = Resource::new(QUOTAS, "v1", "");
        self.lister(&quotas, wanted, ListQuery::whole(wanted), &Arc::default())
    }

    /// The error of a list of CronJobs. A 404 page does not mean that the resource is unknown if the
    /// server is not an API server.
    async fn no_cron_jobs(&self, wanted: &ObjectQuery, error: ClusterError) -> ClusterError {
        let missing = error.status().filter(|status| status.code == 404);
        let is_answered = match missing {
            None => false,
            Some(status) if status.is_object => true,
            Some(_) => match self.read_version().await {
                Ok(_) => true,
                Err(error) => error.status().is_some_and(|status| status.is_object),
            },
        };
        if is_answered {
            return ClusterError::NoResource {
                plural: wanted.resource.plural.clone(),
                api_version: wanted.resource.api_version(),
            };
        }
        cannot_list(&wanted.resource.qualified(), error)
    }

    fn events(&self, wanted: &ObjectQuery, kind: &str, progress: &ReadProgress) -> Lister {
        let events = Resource::events();
        let query = ListQuery::of_events(wanted, kind);
        self.lister(&events, wanted, query, &progress.events)
    }

    fn lister(
        &self,
        resource: &Resource,
        wanted: &ObjectQuery,
        query: ListQuery,
        count: &Arc<AtomicUsize>,
    ) -> Lister {
        let namespace = wanted.namespace.as_deref();
        Lister {
            count: Arc::clone(count),
            ..Lister::new(&self.transport, resource, namespace, query)
        }
    }
}

impl ClusterObjects {
    /// Keeps the CronJobs that were requested by name, in that order.
    fn keep_named(&mut self, wanted: &ObjectQuery) {
        if wanted.names.is_empty() {
            return;
        }
        let all = std::mem::take(&mut self.cron_jobs);
        let rank = |cron_job: &CronJob| wanted.names.iter().position(|name| *name == cron_job.name);
        let named = all.into_iter();
        let named = named.filter_map(|cron_job| Some((rank(&cron_job)?, cron_job)));
        let mut named: Vec<(usize, CronJob)> = named.collect();
        // CronJobs of the same name stay in the server's order, by namespace.
        named.sort_by_key(|(rank, _)| *rank);
        for name in &wanted.names {
            let is_there = named.iter().any(|(_, cron_job)| cron_job.name == *name);
            if !is_there && !self.missing.contains(name) {
                self.missing.push(name.clone());
            }
        }
        self.cron_jobs = named.into_iter().map(|(_, cron_job)| cron_job).collect();
    }

    /// Notes a missing permission, and returns all other errors.
    fn unless_forbidden<T>(
        &mut self,
        result: Result<Listing<T>, ClusterError>,
        what: ResourceKind,
    ) -> Result<Option<Listing<T>>, ClusterError> {
        match unless_forbidden(result, what)? {
            Ok(listing) => {
                self.problems.extend(listing.problems.iter().cloned());
                Ok(Some(listing))
            }
            Err(lack) => {
                if !self.lacks.iter().any(|known| known.what == what) {
                    self.lacks.push(lack);
                }
                Ok(None)
            }
        }
    }
}

/// The list, or that the permission to read it is missing. All other errors are returned.
pub(super) fn unless_forbidden<T>(
    result: Result<Listing<T>, ClusterError>,
    what: ResourceKind,
) -> Result<Result<Listing<T>, UnreadResource>, ClusterError> {
    let listing = allowed(result, what.resource())?;
    Ok(listing.map_err(|error| UnreadResource {
        what,
        reason: error.to_string(),
        is_forbidden: true,
    }))
}

/// The list, or the error that it is forbidden. All other errors are returned.
fn allowed<T>(
    result: Result<Listing<T>, ClusterError>,
    what: &str,
) -> Result<Result<Listing<T>, ClusterError>, ClusterError> {
    match result {
        Err(error) if !error.is_forbidden() => Err(cannot_list(what, error)),
        result => Ok(result),
    }
}

pub(super) fn cannot_list(what: &str, error: ClusterError) -> ClusterError {
    ClusterError::List {
        what: what.to_owned(),
        source: Box::new(error),
    }
}
