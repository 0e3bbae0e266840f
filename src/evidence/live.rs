//! Reads CronJobs and their evidence from a cluster, and keeps the connection.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::iter;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use jiff::Timestamp;

use super::elsewhere::{existed, no_job_or_pod, or_meant, with_owners};
use super::{
    Basis, EvidenceError, EvidenceNote, EvidenceQuery, Needs, ReadWorld, SelectedCronJob,
    Selectors, World,
};
use cronjob_controller::kinds::{KindSet, ScheduledObject};
use cronjob_diagnosis::diagnose::{Beside, MissingBeside, MissingCronJobs};
use cronjob_text::spelling::meant;
use kube_access::{
    ClusterError, ClusterObjects, OfJobs, ReadProgress, ServerClock, Session, Versions,
    check_namespace,
};
use kube_model::{
    ConfigMap, Coverage, CronJobEvidence, Job, ObjectKey, Pod, ResourceKind, UnreadResource,
    WholeObject, add_pods, evidence_by_cron_job, lacks_pods, pods_in_question, pods_wanted,
    template_fingerprint,
};
use kube_objects::query::{ObjectQuery, PageSize, PodSelection, Resource};

/// How long to wait for names that are only a hint, and how many to read.
const SOON: Duration = Duration::from_secs(2);
const MANY: u32 = 500;

/// The most objects of a kind that are read for what CronJobs show about past runs of another one.
const MANY_JOBS: u32 = 5_000;

/// Of more Jobs the templates are not read.
const MOST_TEMPLATES: usize = 20;

/// Of more `ConfigMap`s of a run these are read.
const MOST_CONFIG_MAPS: usize = 5;

/// A connection to a cluster, and what to read.
pub(crate) struct Live {
    pub(crate) session: Arc<Session>,
    pub(crate) wanted: ObjectQuery,
    pub(crate) versions: Versions,
    pub(crate) clock: ServerClock,
    pub(crate) needs: Needs,
}

impl Live {
    /// Connects, and reads the version and the time of the API server. The default namespace is that
    /// of the kubeconfig's context, unless all are selected.
    pub(crate) fn open(
        basis: Basis,
        connect: impl FnOnce() -> Result<Session, ClusterError>,
        query: EvidenceQuery,
        notes: &mut Vec<EvidenceNote>,
    ) -> Result<(Self, Basis), EvidenceError> {
        let EvidenceQuery {
            mut wanted,
            all_namespaces,
            needs,
        } = query;
        // Invalid selectors are an error before anything is sent.
        Selectors::of(&wanted)?;
        let session = connect()?;
        let namespace = wanted.namespace.take();
        let namespace = namespace.unwrap_or_else(|| session.namespace().to_owned());
        if !all_namespaces {
            check_namespace(&namespace)?;
            wanted.namespace = Some(namespace);
        }
        let basis = basis.with_server(&session, notes)?;
        let live = Live {
            session: Arc::new(session),
            wanted,
            versions: Versions::default(),
            clock: ServerClock::showing(basis.now),
            needs,
        };
        Ok((live, basis))
    }

    /// This connection for the CronJobs of these names in another namespace.
    pub(crate) fn of_names(&self, namespace: Option<String>, names: Vec<String>) -> Self {
        Live {
            session: Arc::clone(&self.session),
            wanted: ObjectQuery {
                namespace,
                names,
                ..self.wanted.clone()
            },
            versions: Versions::default(),
            clock: self.clock,
            needs: self.needs,
        }
    }

    /// Whether nothing is beside what is selected.
    pub(super) fn reads_all(&self) -> bool {
        self.wanted.selects_namespaces() && self.wanted.namespace.is_none()
    }

    pub(crate) fn list(
        &mut self,
        progress: &ReadProgress,
        notes: &mut Vec<EvidenceNote>,
    ) -> Result<ClusterObjects, ClusterError> {
        let mut found = self.session.survey(&self.wanted, progress)?;
        let is_cron_job = |name: &str| !found.missing.iter().any(|missing| missing == name);
        if self.wanted.takes_jobs()
            && let Some(names) =
                with_owners(&self.wanted.names, is_cron_job, &found.seen.jobs, notes)
        {
            self.wanted.names = names;
            found = self.session.survey(&self.wanted, progress)?;
        }
        self.versions = std::mem::take(&mut found.versions);
        Ok(found)
    }

    /// Groups the objects by CronJob, and reads the pods that are needed.
    pub(crate) fn world(
        &self,
        basis: Basis,
        mut found: ClusterObjects,
        notes: &mut Vec<EvidenceNote>,
    ) -> Result<ReadWorld, ClusterError> {
        let basis = basis.with_server_time(found.date);
        notes.extend(found.problems.iter().cloned().map(EvidenceNote::Error));
        let namespace = self.wanted.namespace.as_deref();
        let is_empty = found.cron_jobs.is_empty() && found.problems.is_empty();
        let no_namespace =
            namespace.filter(|name| is_empty && self.session.lacks_namespace(name, SOON));
        if let Some(name) = no_namespace.filter(|_| found.missing.is_empty()) {
            notes.push(EvidenceNote::Error(self.no_namespace(name)));
        }
        let missing = self.not_found(&found, no_namespace.is_none());
        notes.extend(missing.map(EvidenceNote::Error));
        let complete =
            found.problems.is_empty() && found.missing.is_empty() && no_namespace.is_none();
        let in_place = |name: &String| match namespace {
            Some(namespace) => format!("{namespace}/{name}"),
            None => name.clone(),
        };
        let not_found = found.missing.iter().map(in_place).collect();
        let lacks = |what| found.lacks.iter().any(|lack| lack.what == what);
        let coverage = Coverage {
            jobs_read: self.wanted.jobs && !lacks(ResourceKind::Jobs),
            events_read: self.wanted.jobs && !lacks(ResourceKind::Events),
            as_of: found.date.unwrap_or(basis.now),
        };
        let mut lacks = std::mem::take(&mut found.lacks);
        let mut all_evidence = evidence_by_cron_job(found.cron_jobs, found.seen);
        self.read_pods(&mut all_evidence, basis.now, &mut lacks)?;
        let cron_jobs = all_evidence.into_iter().map(|evidence| SelectedCronJob {
            evidence,
            places: None,
        });
        let (scheduled, are_read) = self.scheduled(notes);
        let world = World {
            cron_jobs: cron_jobs.collect(),
            scheduled,
            basis,
            coverage,
            complete: complete && are_read,
            not_found,
            lacks,
            namespace: self.wanted.namespace.clone(),
        };
        Ok(ReadWorld {
            world,
            beside: Beside {
                are_all: self.wanted.selects_namespaces(),
                ..Beside::default()
            },
        })
    }

    /// Reads what is missing to judge CronJobs together, and returns whether that was anything. It is only an aid, so
    /// errors are ignored.
    pub(crate) fn read_beside(
        &self,
        missing: MissingBeside,
        selected: impl Iterator<Item = ObjectKey>,
        now: Timestamp,
        beside: &mut Beside,
    ) -> bool {
        if missing.lease {
            beside.lease_renewed = self.session.lease_renewed();
        }
        let selected: HashSet<ObjectKey> = selected.collect();
        let with_jobs = missing.jobs.then_some((true, Some(MANY_JOBS)));
        let alone = match missing.cron_jobs {
            MissingCronJobs::Yes => Some((false, None)),
            MissingCronJobs::UnlessRunning if !beside.shows_running(now) => {
                Some((false, Some(MANY)))
            }
            MissingCronJobs::UnlessRunning | MissingCronJobs::No => None,
        };
        let mut wanted = with_jobs.into_iter().chain(alone);
        let are_read = wanted.any(|(jobs, most)| self.read_others(&selected, jobs, most, beside));
        are_read || beside.lease_renewed.is_some()
    }

    /// Reads the CronJobs that were not selected, with their Jobs if that is wanted: those of all namespaces, or where
    /// that is forbidden or they are more than `most` those of the namespace. Returns whether they could be read.
    fn read_others(
        &self,
        selected: &HashSet<ObjectKey>,
        jobs: bool,
        most: Option<u32>,
        beside: &mut Beside,
    ) -> bool {
        if self.reads_all() {
            return false;
        }
        let is_all = self.wanted.selects_namespaces();
        let of_namespace = self.wanted.namespace.as_ref();
        let of_namespace = of_namespace.filter(|_| !is_all).map(Some);
        let mut places = iter::once(None).chain(of_namespace);
        let found = places.find_map(|place| {
            let query = ObjectQuery {
                namespace: place.cloned(),
                names: Vec::new(),
                label_selector: None,
                field_selector: None,
                jobs,
                pods: PodSelection::None,
                most,
                ..self.wanted.clone()
            };
            let found = self.session.survey(&query, &ReadProgress::default()).ok();
            let lacks_jobs = |found: &ClusterObjects| {
                let mut lacks = found.lacks.iter();
                lacks.any(|lack| lack.what == ResourceKind::Jobs)
            };
            found.filter(|found| found.problems.is_empty() && !lacks_jobs(found))
        });
        let Some(mut found) = found else {
            return false;
        };
        found
            .cron_jobs
            .retain(|cron_job| !selected.contains(&cron_job.key()));
        beside.are_all = true;
        beside.has_jobs = jobs;
        beside.cron_jobs = evidence_by_cron_job(found.cron_jobs, found.seen);
        true
    }

    /// Reads a whole object. A list requires no other permission than what was read already.
    pub(crate) fn whole_object(
        &self,
        resource: Resource,
        namespace: &str,
        name: &str,
    ) -> Result<Option<WholeObject>, ClusterError> {
        let query = ObjectQuery {
            resource,
            namespace: Some(namespace.to_owned()),
            names: vec![name.to_owned()],
            suggests: false,
            label_selector: None,
            field_selector: None,
            jobs: false,
            pods: PodSelection::None,
            page: PageSize::Fixed(1),
            most: None,
        };
        let all: &(dyn Fn(&str, &str) -> bool + Sync) = &|_, _| true;
        let found = self.session.whole_objects(&query, all)?;
        Ok(found.into_iter().next().map(|(_, object)| object))
    }

    /// Adds the fingerprints of the newest Jobs of a CronJob, of which lists show few fields. Errors are ignored.
    pub(crate) fn read_templates(&self, evidence: &mut CronJobEvidence) {
        let unknown = evidence
            .jobs
            .iter_mut()
            .filter(|job| job.template.is_none());
        let mut jobs: Vec<&mut Job> = unknown.collect();
        jobs.sort_by_key(|job| Reverse(job.creation_timestamp));
        thread::scope(|scope| {
            for job in jobs.into_iter().take(MOST_TEMPLATES) {
                scope.spawn(|| {
                    let whole = self.whole_object(Resource::jobs(), &job.namespace, &job.name);
                    let whole = whole.ok().flatten().map(|whole| whole.parse());
                    job.template = whole.and_then(|whole| template_fingerprint(whole.get("spec")?));
                });
            }
        });
    }

    /// Adds the whole CronJob and the whole Jobs that are to be compared, and the pods of the one that succeeded.
    /// It is only an aid, so errors are ignored.
    pub(crate) fn read_whole(
        &self,
        evidence: &mut CronJobEvidence,
        run: Option<&str>,
        success: Option<&str>,
    ) {
        let CronJobEvidence { cron_job, jobs, .. } = &*evidence;
        let namespace = cron_job.namespace.as_str();
        let compared = |job: &&Job| [run, success].contains(&Some(job.name.as_str()));
        let succeeded = jobs.iter().find(|job| Some(job.name.as_str()) == success);
        let (whole, read, pods) = thread::scope(|scope| {
            let read: Vec<_> = jobs
                .iter()
                .filter(compared)
                .map(|job| {
                    scope.spawn(|| self.whole_object(Resource::jobs(), namespace, &job.name))
                })
                .collect();
            let pods = succeeded.map(|job| {
                scope.spawn(|| self.session.pods(&[OfJobs::of(job)], PodSelection::None))
            });
            let resource = self.wanted.resource.clone();
            let whole = self.whole_object(resource, namespace, &cron_job.name);
            let read: Vec<_> = read.into_iter().map(finished).collect();
            (whole, read, pods.map(finished))
        });
        evidence.cron_job.whole = whole.ok().flatten();
        let compared = evidence.jobs.iter_mut();
        let compared = compared.filter(|job| [run, success].contains(&Some(job.name.as_str())));
        for (job, whole) in compared.zip(read) {
            job.whole = whole.ok().flatten();
        }
        if let Some(Ok((seen, _))) = pods {
            evidence.pods.extend(seen.pods);
        }
    }

    /// Adds when the `ConfigMap`s of a run were changed, and since when the node of its pod is ready. The Job must be whole.
    /// It is only an aid, so errors are ignored.
    pub(crate) fn read_surroundings(&self, evidence: &mut CronJobEvidence, run: &str) {
        let CronJobEvidence { jobs, pods, .. } = &*evidence;
        let Some(job) = jobs.iter().find(|job| job.name == run) else {
            return;
        };
        let is_of_run = |pod: &&Pod| pod.owning_jobs().any(|owner| owner == run);
        let pod = pods.iter().find(is_of_run);
        let pod = pod.filter(|pod| pod.node_state.is_none() && !pod.node.is_empty());
        let node = pod.map(|pod| pod.node.clone());
        let session = &self.session;
        let (config_maps, node) = thread::scope(|scope| {
            let names = job.config_maps().into_iter().take(MOST_CONFIG_MAPS);
            let asked: Vec<_> = names
                .map(|name| scope.spawn(move || session.config_map(&job.namespace, &name)))
                .collect();
            let node = node.and_then(|name| session.node(&name));
            let config_maps: Vec<ConfigMap> = asked.into_iter().filter_map(finished).collect();
            (config_maps, node)
        });
        evidence.config_maps = config_maps.into();
        for pod in &mut evidence.pods {
            pod.set_node(node.as_slice());
        }
    }

    /// Reads the objects of other kinds with a schedule, and whether all could be read. A kind that the cluster does
    /// not have is an error unless all are wanted.
    pub(crate) fn scheduled(&self, notes: &mut Vec<EvidenceNote>) -> (Vec<ScheduledObject>, bool) {
        let (mut objects, mut complete) = (Vec::new(), true);
        for kind in self.needs.kinds.kinds() {
            let query = ObjectQuery {
                resource: Resource::new(&kind.plural(), kind.version, kind.group),
                names: Vec::new(),
                ..self.wanted.clone()
            };
            let read = |object: serde_json::Value| ScheduledObject::of(kind, &object, "default");
            match self.session.objects(&query, read) {
                Ok(found) => objects.extend(found),
                Err(error) if error.is_not_found() && self.needs.kinds == KindSet::ALL => {}
                Err(error) => {
                    notes.push(EvidenceNote::Error(error.to_string()));
                    complete = false;
                }
            }
        }
        (objects, complete)
    }

    /// The messages that no CronJobs have these names, with a similar name, or the namespaces with the only one
    /// of them: two requests at most.
    fn not_found<'s>(
        &'s self,
        found: &'s ClusterObjects,
        namespace_exists: bool,
    ) -> impl Iterator<Item = String> + 's {
        let names = found.missing.as_slice();
        let resource = &self.wanted.resource;
        let namespace = self.wanted.namespace.as_deref();
        let place = namespace.map_or_else(
            || "in any namespace".to_owned(),
            |namespace| {
                if namespace_exists {
                    format!("in namespace {namespace:?}")
                } else {
                    format!("because namespace {namespace:?} does not exist")
                }
            },
        );
        // Both are only hints, so errors are ignored.
        let elsewhere = match names {
            [name] if self.wanted.suggests && namespace.is_some() => {
                self.session.namespaces_with(resource, name, SOON)
            }
            _ => Ok(Vec::new()),
        };
        let elsewhere = elsewhere.unwrap_or_default();
        let known = OnceCell::new();
        let read = move || {
            let names = self.session.names(resource, namespace, SOON, MANY);
            names.unwrap_or_default()
        };
        names.iter().map(move |name| {
            if let Some(message) = no_job_or_pod(name, &place) {
                return message;
            }
            // Otherwise it would be suggested instead of itself.
            let may_be_unread = self.wanted.suggests && !found.problems.is_empty();
            if may_be_unread && known.get_or_init(read).contains(name) {
                let resource = resource.qualified();
                return format!("{resource} {name:?} exists {place}, but cannot be read");
            }
            let elsewhere = elsewhere.iter().map(String::as_str);
            let elsewhere: BTreeSet<&str> = elsewhere
                .filter(|other| Some(*other) != namespace)
                .collect();
            let or_meant = or_meant(&elsewhere, || {
                let known = self.wanted.suggests.then(|| known.get_or_init(read))?;
                meant(name, known.iter().map(String::as_str))
            });
            let resource = resource.qualified();
            let existed = existed(name, namespace, &found.seen.events);
            format!("{resource} {name:?} not found {place}{or_meant}{existed}")
        })
    }

    /// The message that a namespace does not exist, with one of a similar name.
    fn no_namespace(&self, name: &str) -> String {
        let known = self
            .session
            .names(&Resource::namespaces(), None, SOON, MANY);
        let known = known.unwrap_or_default();
        let or_meant = or_meant(&BTreeSet::new(), || {
            meant(name, known.iter().map(String::as_str))
        });
        format!("namespace {name:?} not found{or_meant}")
    }

    /// Reads the pods that are needed: one list per namespace, and none if no Job needs it.
    pub(crate) fn read_pods(
        &self,
        all_evidence: &mut [CronJobEvidence],
        now: Timestamp,
        lacks: &mut Vec<UnreadResource>,
    ) -> Result<(), ClusterError> {
        let mut of_jobs: BTreeMap<&str, OfJobs> = BTreeMap::new();
        let mut asked: HashSet<(String, String)> = HashSet::new();
        for evidence in all_evidence.iter() {
            let jobs = match self.wanted.pods {
                PodSelection::None => return Ok(()),
                PodSelection::OfWaiting | PodSelection::OfTroubled => {
                    pods_in_question(evidence, now)
                }
                PodSelection::OfTroubledAndEnded => {
                    let ended = evidence.jobs.iter().filter(|job| job.ending().is_some());
                    let in_question = pods_in_question(evidence, now).into_iter();
                    in_question.chain(ended).collect()
                }
                PodSelection::OfUnsettled => pods_wanted(evidence),
                PodSelection::OfAll => evidence.jobs.iter().collect(),
            };
            for job in jobs {
                asked.insert((job.namespace.to_string(), job.name.clone()));
                let namespace = of_jobs.entry(&job.namespace).or_insert_with(|| OfJobs {
                    namespace: Some(job.namespace.to_string()),
                    ..OfJobs::default()
                });
                let ends_matter = self.wanted.pods == PodSelection::OfTroubledAndEnded;
                if ends_matter && job.ending().is_some() {
                    namespace.ended.push(job.name.clone());
                } else {
                    namespace.jobs.push(job.name.clone());
                }
                if job.failure().is_some() {
                    namespace.failed.push(job.name.clone());
                }
                let is_over =
                    job.ending().is_some() && self.wanted.pods != PodSelection::OfUnsettled;
                namespace.lack_pods |= !is_over && lacks_pods(evidence, job);
            }
        }
        if of_jobs.is_empty() {
            return Ok(());
        }
        let of_jobs: Vec<OfJobs> = of_jobs.into_values().collect();
        let (seen, missing) = self.session.pods(&of_jobs, self.wanted.pods)?;
        add_pods(all_evidence, seen.pods, seen.events, |job| {
            asked.contains(&(job.namespace.to_string(), job.name.clone()))
        });
        for lack in missing {
            if !lacks.iter().any(|known| known.what == lack.what) {
                lacks.push(lack);
            }
        }
        Ok(())
    }
}

/// What a thread found.
fn finished<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    let found = thread.join();
    found.unwrap_or_else(|panic| resume_unwind(panic))
}
