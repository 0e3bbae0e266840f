//! From kubectl's flags to the cluster's evidence.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;

use super::absent::way_out;
use super::args::{Connection, Global, Selection};
use super::complain;
use super::gathered::{Chosen, Gathered, Needs};
use super::progress::Meter;
use super::selectors::Selectors;
use super::settings::Settings;
use crate::cluster::{
    Access, Found, OfJobs, Pods, Progress, Resource, ServerClock, Session, Versions, Wanted,
    check_namespace,
};
use crate::diagnose::{
    Coverage, add_pods, evidence_by_cron_job, lacks_pods, pods_in_question, pods_wanted,
};
use crate::kubectl::Kubectl;
use crate::model::{CronJobEvidence, ResourceKind, UnreadResource};
use crate::spelling::nearest;

impl From<&Connection> for Access {
    fn from(flags: &Connection) -> Self {
        Access {
            kubeconfig: flags.kubeconfig.clone(),
            context: flags.context.clone(),
            cluster: flags.cluster.clone(),
            user: flags.user.clone(),
            impersonate: flags.impersonate.clone(),
            impersonate_groups: flags.impersonate_group.clone(),
            impersonate_uid: flags.impersonate_uid.clone(),
            server: flags.server.clone(),
            token: flags.token.clone(),
            tls_server_name: flags.tls_server_name.clone(),
            insecure_skip_tls_verify: flags.insecure_skip_tls_verify,
            certificate_authority: flags.certificate_authority.clone(),
            client_certificate: flags.client_certificate.clone(),
            client_key: flags.client_key.clone(),
            request_timeout: flags.request_timeout,
            trace: None,
            notice: None,
        }
    }
}

impl From<&Connection> for Kubectl {
    fn from(flags: &Connection) -> Self {
        let path = |path: &Option<PathBuf>| {
            path.as_ref()
                .map(|path| path.to_string_lossy().into_owned())
        };
        let server = flags.server.as_deref().map(without_login);
        let mut kubectl = Kubectl::default();
        let values = [
            ("--kubeconfig", path(&flags.kubeconfig)),
            ("--context", flags.context.clone()),
            ("--cluster", flags.cluster.clone()),
            ("--user", flags.user.clone()),
            (
                "--server",
                server.as_ref().map(|(server, _)| server.clone()),
            ),
            ("--as", flags.impersonate.clone()),
        ];
        let groups = flags.impersonate_group.iter();
        let groups = groups.map(|group| ("--as-group", Some(group.clone())));
        let more = [
            ("--as-uid", flags.impersonate_uid.clone()),
            ("--tls-server-name", flags.tls_server_name.clone()),
            (
                "--certificate-authority",
                path(&flags.certificate_authority),
            ),
            ("--client-certificate", path(&flags.client_certificate)),
            ("--client-key", path(&flags.client_key)),
        ];
        for (flag, value) in values.into_iter().chain(groups).chain(more) {
            if let Some(value) = value {
                kubectl.flag(flag, &value);
            }
        }
        if flags.insecure_skip_tls_verify {
            kubectl.switch("--insecure-skip-tls-verify");
        }
        if flags.token.is_some() {
            kubectl.secret("--token");
        }
        if server.is_some_and(|(_, login)| login) {
            kubectl.secret("the login of --server");
        }
        kubectl
    }
}

/// An address without the password that may be in it, and whether there was one.
fn without_login(server: &str) -> (String, bool) {
    let (scheme, rest) = match server.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), server),
    };
    let authority = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(authority);
    match authority.rsplit_once('@') {
        Some((_, host)) => (format!("{scheme}{host}{path}"), true),
        None => (server.to_owned(), false),
    }
}

/// A cluster, and what is read of it.
pub(super) struct Live {
    pub(super) session: Arc<Session>,
    pub(super) wanted: Wanted,
    /// From where watches go on, once it was read.
    pub(super) versions: Versions,
    /// The server's clock.
    pub(super) clock: ServerClock,
}

impl Live {
    /// Makes the connection, and asks the server who it is and what time it is.
    pub(super) fn open(
        settings: &mut Settings,
        global: &Global,
        connection: &Connection,
        selection: &Selection,
        names: &[&str],
        needs: Needs,
    ) -> anyhow::Result<Self> {
        let resource = match &selection.resource {
            Some(text) => Resource::read(text)?,
            None => Resource::cron_jobs(),
        };
        // What is wrong with them is said without asking anybody.
        Selectors::of(selection)?;
        let access = Access {
            trace: (global.verbose > 0).then_some(super::say_plainly as fn(&str)),
            notice: (!global.quiet).then_some(|text: &str| super::warn(text)),
            ..Access::from(connection)
        };
        let session = Session::open(&access, &super::interrupt::SIGNALS)?;
        let namespace = connection.namespace.clone();
        let namespace = namespace.unwrap_or_else(|| session.namespace().to_owned());
        if !selection.all_namespaces {
            check_namespace(&namespace)?;
        }
        settings.ask_server(&session, global)?;
        let wanted = Wanted {
            resource,
            namespace: (!selection.all_namespaces).then_some(namespace),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            label_selector: selection.selector.clone(),
            field_selector: selection.field_selector.clone(),
            jobs: needs.jobs,
            pods: needs.pods,
            page: selection.chunk_size,
        };
        let clock = ServerClock::showing(settings.now);
        Ok(Live {
            session: Arc::new(session),
            wanted,
            versions: Versions::default(),
            clock,
        })
    }

    /// Reads everything that is wanted.
    pub(super) fn read(
        &mut self,
        settings: &mut Settings,
        global: &Global,
    ) -> anyhow::Result<Gathered> {
        let progress = Progress::default();
        let meter = Meter::start(progress.clone(), !global.quiet);
        let found = self.session.survey(&self.wanted, &progress);
        drop(meter);
        let mut found = found?;
        self.versions = std::mem::take(&mut found.versions);
        self.gather(settings, found)
    }

    /// Reads it again: nothing is said of that, and watches go on from where they were.
    pub(super) fn read_again(&self, settings: &mut Settings) -> anyhow::Result<Gathered> {
        let found = self.session.survey(&self.wanted, &Progress::default())?;
        self.gather(settings, found)
    }

    fn gather(&self, settings: &mut Settings, mut found: Found) -> anyhow::Result<Gathered> {
        settings.set_server_time(found.date);
        for problem in &found.problems {
            complain(problem);
        }
        for name in &found.missing {
            complain(&self.not_found(name));
        }
        let complete = found.problems.is_empty() && found.missing.is_empty();
        let coverage = self.coverage(&found, settings);
        let mut lacks = std::mem::take(&mut found.lacks);
        let mut all_evidence = evidence_by_cron_job(found.cron_jobs, found.seen);
        self.read_pods(&mut all_evidence, settings.now, &mut lacks)?;
        let chosen = all_evidence.into_iter().map(|evidence| Chosen {
            evidence,
            places: None,
        });
        Ok(Gathered {
            chosen: chosen.collect(),
            coverage,
            complete,
            lacks,
            namespace: self.wanted.namespace.clone(),
            instead: None,
        })
    }

    /// That there is no CronJob of a name, and where there is one, or which one was probably meant.
    fn not_found(&self, name: &str) -> String {
        const SOON: Duration = Duration::from_secs(2);
        const MANY: u32 = 500;
        let resource = &self.wanted.resource;
        let namespace = self.wanted.namespace.as_deref();
        let place = namespace.map_or_else(
            || "in any namespace".to_owned(),
            |namespace| format!("in the namespace {namespace:?}"),
        );
        // Nothing depends on either answer.
        let elsewhere = namespace.map(|_| self.session.namespaces_with(resource, name, SOON));
        let elsewhere = elsewhere.and_then(Result::ok).unwrap_or_default();
        let elsewhere: BTreeSet<&str> = elsewhere.iter().map(String::as_str).collect();
        let way_out = way_out(&elsewhere, || {
            let known = self.session.names(resource, namespace, SOON, MANY);
            let known = known.unwrap_or_default();
            nearest(name, known.iter().map(String::as_str)).map(str::to_owned)
        });
        format!(
            "{} {name:?} not found {place}{way_out}",
            resource.qualified()
        )
    }

    fn coverage(&self, found: &Found, settings: &Settings) -> Coverage {
        let lacks = |what| found.lacks.iter().any(|lack| lack.what == what);
        Coverage {
            jobs_read: self.wanted.jobs && !lacks(ResourceKind::Jobs),
            events_read: self.wanted.jobs && !lacks(ResourceKind::Events),
            as_of: found.date.unwrap_or(settings.now),
        }
    }

    /// Reads the pods that are wanted: one list a namespace, and none where no Job is in question.
    fn read_pods(
        &self,
        all_evidence: &mut [CronJobEvidence],
        now: Timestamp,
        lacks: &mut Vec<UnreadResource>,
    ) -> anyhow::Result<()> {
        let mut of_jobs: BTreeMap<&str, OfJobs> = BTreeMap::new();
        for evidence in all_evidence.iter() {
            let jobs = match self.wanted.pods {
                Pods::None => return Ok(()),
                Pods::OfTroubled => pods_in_question(evidence, now),
                Pods::OfUnsettled => pods_wanted(evidence),
            };
            for job in jobs {
                let namespace = of_jobs.entry(&job.namespace).or_insert_with(|| OfJobs {
                    namespace: Some(job.namespace.clone()),
                    ..OfJobs::default()
                });
                namespace.jobs.push(job.name.clone());
                namespace.lack_pods |= lacks_pods(evidence, job);
            }
        }
        if of_jobs.is_empty() {
            return Ok(());
        }
        let of_jobs: Vec<OfJobs> = of_jobs.into_values().collect();
        let (seen, missing) = self.session.pods(&of_jobs, self.wanted.pods)?;
        add_pods(all_evidence, seen.pods, seen.events);
        for lack in missing {
            if !lacks.iter().any(|known| known.what == lack.what) {
                lacks.push(lack);
            }
        }
        Ok(())
    }
}
