//! What is compared: manifests, and the CronJobs of files or of a cluster.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use super::PlanArgs;
use crate::cli::args::Common;
use crate::cli::side_by_side::{cores, side_by_side};
use crate::cli::{caution, complain};
use crate::evidence::{Basis, EvidenceQuery, Live, Needs, World};
use cronjob_diagnosis::diagnose::{Beside, judge_together};
use cronjob_diagnosis::plan::{ManifestCronJob, MayHold, StoredCronJob, UnreadPart};
use cronjob_diagnosis::selector::LabelSelector;
use cronjob_manifest::lint::{LintFinding, LintReport, LintSettings, Linter, Releases};
use cronjob_manifest::rules::{LintSource, Severity};
use kube_access::{ClusterError, Session, check_namespace};
use kube_model::{
    Coverage, CronJob, ObjectKey, RelatedObjects, ResourceKind, UnreadResource, WholeObject,
    evidence_by_cron_job,
};
use kube_objects::query::{ObjectQuery, PageSize, PodSelection, Resource};
use kube_objects::snapshot::{
    Evidence, LocatedObject, Options, Paths, SnapshotError, SourceText, WhyUnread, find,
};

/// In up to this many namespaces the lists are requested one by one.
const MOST_LISTED: usize = 8;

pub(super) fn options(common: &Common, session: Option<&Session>) -> Options {
    let namespace = common.connection.namespace().cloned();
    let namespace = namespace.or_else(|| session.map(|session| session.namespace().to_owned()));
    Options {
        namespace: namespace.unwrap_or_else(|| Options::default().namespace),
        keep_objects: true,
        ..Options::default()
    }
}

/// Objects that were read from files.
pub(super) struct ManifestSet {
    cron_jobs: Vec<LocatedObject<CronJob>>,
    related: RelatedObjects,
    texts: Vec<SourceText>,
    pub(super) unread: Vec<UnreadPart>,
    pub(super) complete: bool,
}

impl ManifestSet {
    pub(super) fn read(paths: &[PathBuf], recursive: bool, options: &Options) -> Self {
        let Paths {
            inputs,
            unread,
            mut errors,
        } = find(paths, recursive);
        let mut texts = Vec::new();
        for input in inputs {
            match input.load(&mut io::stdin().lock()) {
                Ok(text) => texts.push(text),
                Err(error) => errors.push(error),
            }
        }
        let parts = side_by_side(&texts, cores(), |text| {
            let mut evidence = Evidence::default();
            let errors = evidence.add(text, options);
            (evidence, errors)
        });
        let mut evidence = Evidence::default();
        for (part, wrong) in parts {
            evidence.append(part);
            errors.extend(wrong);
        }
        for error in &errors {
            complain(&error.to_string());
        }
        let skipped = unread.iter().map(|skipped| UnreadPart {
            file: Some(skipped.file.to_string()),
            line: None,
            message: skipped.to_string(),
            may_hold: MayHold::Anything,
        });
        let parts = errors.iter().map(|error| {
            let (file, place) = error.location();
            UnreadPart {
                file: file.map(str::to_owned),
                line: place.map(|place| place.line),
                message: error.to_string(),
                may_hold: may_hold(error, &texts, options),
            }
        });
        let parts = parts.chain(skipped).collect();
        let skipped = unread.iter().map(ToString::to_string);
        let warnings = evidence.warnings.iter().map(ToString::to_string);
        skipped
            .chain(warnings)
            .for_each(|warning| caution(&warning));
        ManifestSet {
            related: evidence.take_related(),
            cron_jobs: evidence.cron_jobs,
            texts,
            unread: parts,
            // A patch is a part of a manifest that was read.
            complete: errors.is_empty()
                && unread.iter().all(|skipped| skipped.why == WhyUnread::Patch),
        }
    }

    /// Leaves those in the namespace that a flag names and with the labels of the selector.
    pub(super) fn select(&mut self, common: &Common, selector: &LabelSelector) {
        let all = self.cron_jobs.len();
        self.cron_jobs
            .retain(|located| is_in_namespace(common, &located.object));
        let of_others = all - self.cron_jobs.len();
        if of_others > 0 {
            let namespaces = "of other namespaces than that of -n are not compared";
            caution(&format!("CronJob manifests {namespaces}: {of_others}"));
        }
        self.cron_jobs
            .retain(|located| selector.matches(&located.object.labels));
        select_unread(common, &mut self.unread);
    }

    fn names(&self) -> HashSet<ObjectKey> {
        let cron_jobs = self.cron_jobs.iter();
        cron_jobs.map(|located| located.object.key()).collect()
    }

    fn namespaces(&self) -> BTreeSet<String> {
        let cron_jobs = self.cron_jobs.iter();
        cron_jobs
            .map(|located| located.object.namespace.clone())
            .collect()
    }

    /// Whether a manifest leaves open which namespace it is for.
    pub(super) fn leaves_namespace_open(&self) -> bool {
        self.cron_jobs.iter().any(|located| {
            let whole = located.object.whole.as_ref();
            whole.is_some_and(|whole| whole.parse().pointer("/metadata/namespace").is_none())
        })
    }

    /// Of two manifests with one name the later one is applied last.
    pub(super) fn drop_duplicates(&mut self) {
        let mut last = BTreeMap::new();
        for (index, located) in self.cron_jobs.iter().enumerate() {
            let Some(earlier) = last.insert(located.object.key(), index) else {
                continue;
            };
            if let Some(earlier) = self.cron_jobs.get(earlier) {
                caution(&format!(
                    "{}:{}: cronjob {} is also in {}:{}, which is ignored",
                    located.file,
                    located.place.line,
                    located.object.name,
                    earlier.file,
                    earlier.place.line
                ));
            }
        }
        let kept: BTreeSet<usize> = last.into_values().collect();
        let mut index = 0..;
        self.cron_jobs
            .retain(|_| index.next().is_some_and(|index| kept.contains(&index)));
    }

    /// The CronJobs as they are stored, with what is known about them. Those of a cluster show whether its controller runs.
    fn stored(self, basis: &Basis, of_cluster: bool) -> StoredManifests {
        let all = self.cron_jobs.iter().map(|located| &located.object);
        let coverage = Coverage::of_files(all, &self.related, basis.now);
        let (cron_jobs, objects): (Vec<CronJob>, Vec<_>) = self
            .cron_jobs
            .into_iter()
            .map(|mut located| {
                let whole = located.object.whole.take();
                (located.object, whole.unwrap_or_default())
            })
            .unzip();
        let mut evidence = evidence_by_cron_job(cron_jobs, self.related);
        if of_cluster {
            let beside = Beside::of_files(Vec::new());
            let mut all: Vec<_> = evidence.iter_mut().collect();
            judge_together(&basis.controller, &mut all, &beside, coverage, basis.now);
        }
        let cron_jobs = evidence
            .into_iter()
            .zip(objects)
            .map(|(evidence, object)| StoredCronJob {
                evidence,
                object,
                is_assumed: false,
            });
        StoredManifests {
            cron_jobs: cron_jobs.collect(),
            coverage,
            unread: self.unread,
            complete: self.complete,
        }
    }

    /// What the API server of the controller's version says about the manifests.
    pub(super) fn lint(&self, basis: &Basis) -> LintReport {
        let controller = &basis.controller;
        let linter = Linter {
            now: basis.now,
            zones: &*basis.zones,
            local: Arc::clone(&controller.local),
        };
        let settings = Arc::new(LintSettings {
            releases: Releases::one(controller.release),
            ..LintSettings::default()
        });
        let files = side_by_side(&self.texts, cores(), |text| {
            linter.read(&text.name, text.text.as_bytes(), &settings)
        });
        linter.finish(files)
    }

    /// The manifests, with why the API server would reject them.
    pub(super) fn manifests(self, mut report: LintReport) -> Vec<ManifestCronJob> {
        report.findings.retain(is_rejection);
        let mut rejections: HashMap<(&str, &str), Vec<&LintFinding>> = HashMap::new();
        for finding in &report.findings {
            let object = finding.object.as_ref();
            if let Some(name) = object.and_then(|object| object.name.as_deref()) {
                let of_name = rejections.entry((&finding.file, name)).or_default();
                of_name.push(finding);
            }
        }
        let manifests = self
            .cron_jobs
            .into_iter()
            .map(|mut located| ManifestCronJob {
                refused: rejections_of(&located, &rejections),
                file: located.file.to_string(),
                line: located.place.line,
                object: located.object.whole.take().unwrap_or_default(),
                cron_job: located.object,
            });
        manifests.collect()
    }
}

/// Which `CronJob`s may be in what an error is about.
fn may_hold(error: &SnapshotError, texts: &[SourceText], options: &Options) -> MayHold {
    match error {
        SnapshotError::Empty { .. } => MayHold::Nothing,
        SnapshotError::Field {
            object: Some(object),
            ..
        } if !object.name.contains("{{") => match object.kind.as_str() {
            "CronJob" => {
                let namespace = object.namespace.as_ref().unwrap_or(&options.namespace);
                MayHold::Named(ObjectKey::new(namespace, &object.name))
            }
            _ => MayHold::Nothing,
        },
        SnapshotError::Field { file, .. } | SnapshotError::Document { file, .. } => {
            let text = texts.iter().find(|text| text.name == *file);
            text.map_or(MayHold::Anything, |text| MayHold::InText(text.text.clone()))
        }
        _ => MayHold::Anything,
    }
}

/// Leaves what may be in the namespace that a flag names.
fn select_unread(common: &Common, unread: &mut Vec<UnreadPart>) {
    let Some(wanted) = common.connection.namespace() else {
        return;
    };
    unread.retain(|part| match &part.may_hold {
        MayHold::Named(key) => key.namespace == *wanted,
        _ => true,
    });
}

fn is_in_namespace(common: &Common, cron_job: &CronJob) -> bool {
    let namespace = common.connection.namespace();
    namespace.is_none_or(|namespace| cron_job.namespace == *namespace)
}

/// What is there before the change.
pub(super) struct StoredManifests {
    pub(super) cron_jobs: Vec<StoredCronJob>,
    pub(super) coverage: Coverage,
    pub(super) unread: Vec<UnreadPart>,
    /// Whether all of it could be read.
    pub(super) complete: bool,
}

impl StoredManifests {
    /// Leaves those in the namespace that a flag names and with the labels of the selector, and those that
    /// a manifest names.
    pub(super) fn select(&mut self, common: &Common, selector: &LabelSelector, new: &ManifestSet) {
        select_unread(common, &mut self.unread);
        let named = new.cron_jobs.iter().map(|located| located.object.key());
        let named: BTreeSet<_> = named.collect();
        self.cron_jobs.retain(|stored| {
            let cron_job = &stored.evidence.cron_job;
            is_in_namespace(common, cron_job)
                && (selector.matches(&cron_job.labels) || named.contains(&cron_job.key()))
        });
    }
}

/// What files have before the change.
pub(super) fn read_stored(args: &PlanArgs, options: &Options, basis: &Basis) -> StoredManifests {
    let of_cluster = !args.from_live.is_empty();
    let paths = if of_cluster {
        &args.from_live
    } else {
        &args.from
    };
    ManifestSet::read(paths, args.recursive, options).stored(basis, of_cluster)
}

/// What is compared with the manifests.
pub(super) struct PlanBaseline {
    pub(super) stored: StoredManifests,
    /// What the API server of the version of the cluster says about the manifests.
    pub(super) report: LintReport,
    pub(super) basis: Basis,
}

/// The CronJobs of the manifests' namespaces as the cluster has them, with their Jobs.
pub(super) fn read_cluster(
    common: &Common,
    session: Session,
    basis: Basis,
    new: &ManifestSet,
) -> anyhow::Result<PlanBaseline> {
    let namespaces = new.namespaces();
    let mut stored = StoredManifests {
        cron_jobs: Vec::new(),
        coverage: Coverage::all(basis.now),
        unread: Vec::new(),
        complete: true,
    };
    if namespaces.is_empty() {
        return Ok(PlanBaseline {
            stored,
            report: LintReport::default(),
            basis,
        });
    }
    let is_many = namespaces.len() > MOST_LISTED;
    let query = EvidenceQuery {
        wanted: ObjectQuery {
            resource: Resource::cron_jobs(),
            namespace: namespaces.first().filter(|_| !is_many).cloned(),
            names: Vec::new(),
            suggests: false,
            label_selector: None,
            field_selector: None,
            jobs: true,
            pods: PodSelection::None,
            page: PageSize::default(),
            most: None,
        },
        all_namespaces: is_many,
        needs: Needs {
            predicts_change: true,
            ..Needs::JOBS
        },
    };
    let opened = common.noting(|notes| Live::open(basis, || Ok(session), query, notes));
    let (live, basis) = opened?;
    // The manifests are checked while the API server answers.
    thread::scope(|scope| {
        let checked = basis.clone();
        let report = scope.spawn(move || new.lint(&checked));
        let basis = read_namespaces(common, live, basis, new, &mut stored)?;
        let report = report.join().unwrap_or_else(|panic| resume_unwind(panic));
        Ok(PlanBaseline {
            stored,
            report,
            basis,
        })
    })
}

/// Reads the namespaces of the manifests: all at once if they are many and the rights reach so far.
fn read_namespaces(
    common: &Common,
    mut live: Live,
    mut basis: Basis,
    new: &ManifestSet,
    stored: &mut StoredManifests,
) -> anyhow::Result<Basis> {
    let names = new.names();
    let is_named = |namespace: &str, name: &str| names.contains(&ObjectKey::new(namespace, name));
    let namespaces = new.namespaces();
    if namespaces.len() > MOST_LISTED
        && let Some(lists) = read_all(common, &mut live, basis.clone(), &is_named)?
    {
        let basis = stored.add(lists);
        let is_wanted = |cron_job: &CronJob| namespaces.contains(&cron_job.namespace);
        let cron_jobs = &mut stored.cron_jobs;
        cron_jobs.retain(|stored| is_wanted(&stored.evidence.cron_job));
        return Ok(basis);
    }
    for namespace in &namespaces {
        check_namespace(namespace)?;
        live = live.of_names(Some(namespace.clone()), Vec::new());
        let lists = read_lists(common, &mut live, basis, &is_named)?;
        basis = stored.add(lists);
    }
    Ok(basis)
}

/// Whether a manifest names the CronJob of a namespace and a name.
type IsNamed<'a> = &'a (dyn Fn(&str, &str) -> bool + Sync);

/// What was listed in a namespace, or in all.
struct Lists {
    world: World,
    /// The CronJobs with all their fields.
    whole: Vec<(ObjectKey, WholeObject)>,
}

/// Lists all namespaces, unless the rights reach only some of them.
fn read_all(
    common: &Common,
    live: &mut Live,
    basis: Basis,
    is_named: IsNamed<'_>,
) -> anyhow::Result<Option<Lists>> {
    match read_lists(common, live, basis, is_named) {
        Ok(lists) => {
            let is_partial = |lack: &UnreadResource| lack.what == ResourceKind::Jobs;
            let is_partial = lists.world.lacks.iter().any(is_partial);
            Ok(Some(lists).filter(|_| !is_partial))
        }
        Err(error) => match error.downcast_ref::<ClusterError>() {
            Some(refused) if refused.is_forbidden() => Ok(None),
            _ => Err(error),
        },
    }
}

/// Lists CronJobs with all their fields, and beside them what else is known about them.
fn read_lists(
    common: &Common,
    live: &mut Live,
    basis: Basis,
    is_named: IsNamed<'_>,
) -> anyhow::Result<Lists> {
    let (session, wanted) = (Arc::clone(&live.session), live.wanted.clone());
    let (world, whole) = thread::scope(|scope| {
        let whole = scope.spawn(|| session.whole_objects(&wanted, is_named));
        let world = common.read(live, basis);
        let whole = whole.join();
        (world, whole.unwrap_or_else(|panic| resume_unwind(panic)))
    });
    Ok(Lists {
        world: world?.judged(Some(live)),
        whole: whole?,
    })
}

impl StoredManifests {
    /// Adds the CronJobs of a namespace.
    fn add(&mut self, lists: Lists) -> Basis {
        let Lists { world, whole } = lists;
        self.complete &= world.complete;
        for lack in &world.lacks {
            if lack.what == ResourceKind::Jobs {
                caution(&format!(
                    "running and finished Jobs are not shown: {}",
                    lack.short_reason()
                ));
            }
        }
        self.coverage = Coverage {
            jobs_read: self.coverage.jobs_read && world.coverage.jobs_read,
            ..world.coverage
        };
        let basis = world.basis.clone();
        let mut objects: HashMap<ObjectKey, WholeObject> = whole.into_iter().collect();
        for evidence in world.into_evidence() {
            // One that is not on both lists was created or deleted in between.
            if let Some(object) = objects.remove(&evidence.cron_job.key()) {
                self.cron_jobs.push(StoredCronJob {
                    evidence,
                    object,
                    is_assumed: false,
                });
            }
        }
        basis
    }
}

fn is_rejection(finding: &LintFinding) -> bool {
    finding.lint.source == LintSource::ApiServer && finding.severity == Severity::Error
}

/// Why the API server would reject a manifest, out of the rejections by file and name.
fn rejections_of(
    manifest: &LocatedObject<CronJob>,
    rejections: &HashMap<(&str, &str), Vec<&LintFinding>>,
) -> Vec<String> {
    let cron_job = &manifest.object;
    let findings = rejections.get(&(&*manifest.file, cron_job.name.as_str()));
    let findings = findings.into_iter().flatten().filter(|finding| {
        let object = finding.object.as_ref();
        let namespace = object.and_then(|object| object.namespace.as_ref());
        namespace.is_none_or(|namespace| *namespace == cron_job.namespace)
    });
    findings
        .map(|finding| finding.headline().into_owned())
        .collect()
}
