//! The pods of Jobs, and what happened to them.

use std::collections::BTreeSet;

use super::error::ClusterError;
use super::list::{Lister, joined};
use super::resource::ListQuery;
use super::session::Session;
use super::survey::unless_forbidden;
use super::transport::Transport;
use crate::objects::OfJobs;
use kube_model::{
    ContainerStatus, Event, Node, NodeState, Pod, RelatedObjects, ResourceKind, UnreadResource,
};
use kube_objects::query::{PodSelection, Resource};

/// The label with the Job of a pod. 1.27 added a longer one, but kept this one.
const JOB_LABEL: &str = "job-name";

/// The number of namespaces that are read at the same time.
const AT_ONCE: usize = 8;
/// For more namespaces, one list of the whole cluster is less work.
const MANY_NAMESPACES: usize = 16;
/// The most Jobs in a selector; a longer one would be too long for some proxies.
const MANY_JOBS: usize = 50;
/// For more pods, one list of the events about all pods is less work.
const MANY_PODS: usize = 10;
/// Of more nodes that may not respond, these are read.
const MOST_NODES: usize = 8;

/// If a pod started so long after it had a node, in seconds, events may show that its image was pulled.
const SLOW_START: i64 = 5;

/// The reasons of events about a pod that something else stopped. Such pods are usually deleted.
const DISRUPTIONS: [&str; 4] = ["Preempted", "TaintManagerEviction", "Evicted", "ScaleDown"];

/// The reasons of events about the images of a pod.
const PULLS: [&str; 2] = ["Pulling", "Pulled"];

impl Session {
    /// The pods of Jobs, with the events about these pods. For Jobs that may have a problem, only the
    /// events with additional information: that pods were rejected, or that a volume was not
    /// mounted. That is one list of pods per namespace, and at most two of events.
    pub fn pods(
        &self,
        of: &[OfJobs],
        which: PodSelection,
    ) -> Result<(RelatedObjects, Vec<UnreadResource>), ClusterError> {
        self.wait(self.pods_at_once(of, which))
    }

    async fn pods_at_once(
        &self,
        of: &[OfJobs],
        which: PodSelection,
    ) -> Result<(RelatedObjects, Vec<UnreadResource>), ClusterError> {
        let (mut seen, mut lacks) = (RelatedObjects::default(), Vec::new());
        let mut whole = None;
        let of = if of.len() > MANY_NAMESPACES && which.is_of_troubled() {
            std::slice::from_ref(whole.insert(OfJobs {
                namespace: None,
                jobs: of.iter().flat_map(|of| of.jobs.clone()).collect(),
                ended: of.iter().flat_map(|of| of.ended.clone()).collect(),
                lack_pods: of.iter().any(|of| of.lack_pods),
                failed: Vec::new(),
            }))
        } else {
            of
        };
        for some in of.chunks(AT_ONCE) {
            let transport = &self.transport;
            let reads: Vec<_> = some
                .iter()
                .map(|of| tokio::spawn(of.clone().read(transport.clone(), which)))
                .collect();
            for read in reads {
                let (more, lack) = joined(read.await)?;
                seen.pods.extend(more.pods);
                seen.events.extend(more.events);
                let is_known = |lack: &UnreadResource| {
                    lacks
                        .iter()
                        .any(|known: &UnreadResource| known.what == lack.what)
                };
                lacks.extend(lack.filter(|lack| !is_known(lack)));
            }
            if lacks.iter().any(|lack| lack.what == ResourceKind::Pods) {
                break;
            }
        }
        self.read_nodes(&mut seen.pods).await;
        Ok((seen, lacks))
    }

    /// A node; `None` if there is none, or it must not be read.
    pub fn node(&self, name: &str) -> Option<Node> {
        self.wait(self.node_named(name)).ok()?
    }

    async fn node_named(&self, name: &str) -> Result<Option<Node>, ClusterError> {
        let query = ListQuery::by_field(format!("metadata.name={name}"));
        let resource = Resource::new("nodes", "v1", "");
        let lister = Lister::new(&self.transport, &resource, None, query);
        Ok(lister.list::<Node>().await?.items.into_iter().next())
    }

    /// Reads the nodes of pods that do not end or are silent. Where that fails, answers say so.
    async fn read_nodes(&self, pods: &mut [Pod]) {
        let in_question = pods.iter().filter(|pod| pod.is_node_in_question());
        let names: BTreeSet<String> = in_question.map(|pod| pod.node.clone()).collect();
        for name in names.into_iter().take(MOST_NODES) {
            let found = self.node_named(&name).await;
            let state = match &found {
                Ok(_) => NodeState::Gone,
                Err(_) => NodeState::Unreadable,
            };
            let node = found.ok().flatten();
            for pod in pods.iter_mut().filter(|pod| pod.node == name) {
                pod.node_state = Some(state);
                pod.set_node(node.as_slice());
            }
            if state == NodeState::Unreadable {
                for pod in pods.iter_mut().filter(|pod| pod.is_node_in_question()) {
                    pod.node_state = Some(state);
                }
                return;
            }
        }
    }
}

impl OfJobs {
    async fn read(
        self,
        transport: Transport,
        which: PodSelection,
    ) -> Result<(RelatedObjects, Option<UnreadResource>), ClusterError> {
        let lister = |resource: &str, query: ListQuery| {
            let resource = Resource::new(resource, "v1", "");
            Lister::new(&transport, &resource, self.namespace.as_deref(), query)
        };
        let events = |selector: String| {
            let query = ListQuery {
                field_selector: Some(selector),
                ..ListQuery::default()
            };
            tokio::spawn(lister("events", query).list::<Event>())
        };
        let refused = (which.is_of_troubled() && self.lack_pods)
            .then(|| events("involvedObject.kind=Job,reason=FailedCreate".to_owned()));
        let queries = self.queries(which).into_iter();
        let pods: Vec<_> = queries
            .map(|query| tokio::spawn(lister("pods", query).list::<Pod>()))
            .collect();
        let mut seen = RelatedObjects::default();
        let mut lack = None;
        for list in pods {
            match unless_forbidden(joined(list.await), ResourceKind::Pods)? {
                Ok(listing) => seen.pods.extend(listing.items),
                Err(missing) => lack = Some(missing),
            }
        }
        let about = |pod: &Pod| format!("involvedObject.kind=Pod,involvedObject.name={}", pod.name);
        let of_reason = |reason: &&str| format!("involvedObject.kind=Pod,reason={reason}");
        let mut about_pods: Vec<String> = match which {
            PodSelection::OfAll if !seen.pods.is_empty() => PULLS.iter().map(of_reason).collect(),
            PodSelection::OfAll | PodSelection::None => Vec::new(),
            PodSelection::OfUnsettled if seen.pods.len() > MANY_PODS => {
                vec!["involvedObject.kind=Pod".to_owned()]
            }
            PodSelection::OfUnsettled => seen.pods.iter().map(about).collect(),
            PodSelection::OfWaiting
            | PodSelection::OfTroubled
            | PodSelection::OfTroubledAndEnded => {
                let mounts = seen.pods.iter().any(waits_for_volumes);
                let mounts = mounts.then(|| of_reason(&"FailedMount"));
                let ended = seen.pods.iter().filter(|pod| self.has_ended(pod));
                let slow: Vec<&Pod> = ended.filter(|pod| started_slowly(pod)).collect();
                let slow: Vec<String> = if slow.len() > MANY_PODS {
                    PULLS.iter().map(of_reason).collect()
                } else {
                    slow.into_iter().map(about).collect()
                };
                mounts.into_iter().chain(slow).collect()
            }
        };
        let everything = "involvedObject.kind=Pod";
        let is_read = about_pods.iter().any(|selector| selector == everything);
        if which == PodSelection::OfUnsettled
            && !is_read
            && self.lacks_pods_of_failed_job(&seen.pods)
        {
            about_pods.extend(DISRUPTIONS.iter().map(of_reason));
        }
        let about_pods: Vec<_> = about_pods.into_iter().map(events).collect();
        for list in refused.into_iter().chain(about_pods) {
            match unless_forbidden(joined(list.await), ResourceKind::Events)? {
                Ok(listing) => seen.events.extend(listing.items),
                Err(missing) => lack = lack.or(Some(missing)),
            }
        }
        Ok((seen, lack))
    }

    /// Whether a pod is of a Job that has ended.
    fn has_ended(&self, pod: &Pod) -> bool {
        let mut jobs = pod.owning_jobs();
        jobs.any(|job| self.ended.iter().any(|ended| ended == job))
    }

    /// Whether a Job has failed, and none of its pods is left to show why.
    fn lacks_pods_of_failed_job(&self, pods: &[Pod]) -> bool {
        let has_pod = |job: &String| {
            let mut owners = pods.iter().flat_map(Pod::owning_jobs);
            owners.any(|owner| owner == job)
        };
        !self.failed.iter().all(has_pod)
    }

    /// The lists of pods, of which none contains a pod of another one.
    fn queries(&self, which: PodSelection) -> Vec<ListQuery> {
        let of_jobs = |jobs: &[String]| match jobs {
            [job] => format!("{JOB_LABEL}={job}"),
            jobs => format!("{JOB_LABEL} in ({})", jobs.join(",")),
        };
        let query = |selector: String, field_selector: Option<String>| ListQuery {
            label_selector: Some(selector),
            field_selector,
            ..ListQuery::default()
        };
        let together = [self.jobs.as_slice(), self.ended.as_slice()].concat();
        if together.len() <= MANY_JOBS {
            return vec![query(of_jobs(&together), None)];
        }
        let ended = self.ended.chunks(MANY_JOBS);
        let ended = ended.map(|jobs| query(of_jobs(jobs), None));
        let others = match self.jobs.as_slice() {
            [] => None,
            jobs if jobs.len() <= MANY_JOBS => Some(query(of_jobs(jobs), None)),
            _ if which == PodSelection::OfAll => Some(query(JOB_LABEL.to_owned(), None)),
            // Most pods of Jobs have succeeded, and are not needed.
            _ => {
                let mut selector = JOB_LABEL.to_owned();
                if !self.ended.is_empty() {
                    selector = format!("{selector},{JOB_LABEL} notin ({})", self.ended.join(","));
                }
                Some(query(selector, Some("status.phase!=Succeeded".to_owned())))
            }
        };
        others.into_iter().chain(ended).collect()
    }
}

/// Whether a pod has a node, and its containers wait for something that only events show.
fn waits_for_volumes(pod: &Pod) -> bool {
    let usual = |reason: &str| matches!(reason, "ContainerCreating" | "PodInitializing");
    let mut waiting = pod.containers.iter().map(|one| one.waiting.as_ref());
    let waits = waiting.all(|waiting| waiting.is_some_and(|waiting| usual(&waiting.reason)));
    pod.phase == "Pending" && !pod.containers.is_empty() && waits
}

/// Whether it took long from the moment when a pod had a node until its first container started.
fn started_slowly(pod: &Pod) -> bool {
    let scheduled = pod.condition("PodScheduled");
    let ended = pod.containers.iter().filter_map(ContainerStatus::end);
    let started = ended.filter_map(|end| end.started_at).min();
    let scheduled = scheduled.and_then(|scheduled| scheduled.last_transition_time);
    let waited = started.zip(scheduled);
    waited.is_some_and(|(started, from)| started.as_second() - from.as_second() >= SLOW_START)
}
