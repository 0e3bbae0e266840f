//! Loads the CronJobs and their evidence, and prints the notes about loading them.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use anyhow::bail;
use jiff::Timestamp;

use super::args::{BasisArgs, Common, Selection};
use super::diagnostic::{Diagnostic, TIME_ZONE_HELP, time_zone_help};
use super::stdio::Meter;
use super::{complain, interrupt, say_plainly, warn};
use crate::cluster::{self, Access, ClusterQuery, ReadProgress, Resource, Session};
use crate::controller::Model;
use crate::evidence::{
    Basis, EvidenceError, EvidenceQuery, Files, FixedValues, Live, Needs, Note, World, read_files,
};
use crate::kubectl::Kubectl;
use crate::output::controller::ControllerDocument;
use crate::schedule::{Location, Zone, ZoneDatabase, ZoneError, load_location};
use crate::survey::ScanSelection;

impl Common {
    /// The time, the time zones and the controller that flags set.
    pub(super) fn basis(&self, flags: &BasisArgs) -> anyhow::Result<Basis> {
        let zones = self.global.tzdb.open()?;
        let fixed = FixedValues {
            now: flags.now,
            release: flags.kubernetes_version,
            model: flags.controller.map(Model::from),
            time_zone: zone_of(
                "--controller-time-zone",
                flags.controller_time_zone.as_ref(),
                &zones,
            )?,
        };
        let kubectl = Kubectl::from(&self.connection);
        let basis = Basis::new(fixed, read_clock(), zones, kubectl);
        self.print(basis.newer_release());
        Ok(basis)
    }

    /// Reads the selected CronJobs from files or from the cluster.
    pub(super) fn load(
        &self,
        basis: Basis,
        selection: &Selection,
        needs: Needs,
    ) -> anyhow::Result<World> {
        let query = self.query(selection, needs)?;
        if selection.filename.is_empty() {
            let (_, world) = self.load_query(basis, query).map_err(or_files)?;
            let hint = world
                .namespace
                .is_some()
                .then_some("use -A for all namespaces");
            return Ok(self.conclude(world, hint));
        }
        let files = Files {
            paths: &selection.filename,
            recursive: selection.recursive,
        };
        let stdin = &mut io::stdin().lock();
        let (world, instead) =
            self.noting(|notes| read_files(basis, &files, &query, stdin, notes))?;
        Ok(self.conclude(world, instead.as_deref()))
    }

    /// Reads the cluster, and keeps the connection for more.
    pub(super) fn load_live(
        &self,
        basis: Basis,
        selection: &Selection,
        needs: Needs,
    ) -> anyhow::Result<(Live, World)> {
        let (live, world) = self.load_query(basis, self.query(selection, needs)?)?;
        Ok((live, self.conclude(world, None)))
    }

    /// Reads the cluster. The caller calls [`Self::conclude`].
    pub(super) fn load_query(
        &self,
        basis: Basis,
        query: EvidenceQuery,
    ) -> anyhow::Result<(Live, World)> {
        let access = self.access();
        let connect = || Session::open(&access, &interrupt::SIGNALS);
        let (mut live, basis) = self.noting(|notes| Live::open(basis, connect, query, notes))?;
        let world = self.read(&mut live, basis)?;
        Ok((live, world))
    }

    /// Reads everything that is selected.
    pub(super) fn read(&self, live: &mut Live, basis: Basis) -> anyhow::Result<World> {
        let progress = ReadProgress::default();
        let meter = Meter::start(progress.clone(), !self.global.quiet);
        let found = live.list(&progress);
        drop(meter);
        let found = found?;
        self.noting(|notes| Ok(live.world(basis, found, notes)?))
    }

    /// Reads everything again, without progress.
    pub(super) fn read_again(&self, live: &Live, basis: Basis) -> anyhow::Result<World> {
        self.noting(|notes| Ok(live.read_again(basis, notes)?))
    }

    /// Sets what the objects show about the controller. `hint` is appended if there are no
    /// CronJobs.
    pub(super) fn conclude(&self, world: World, hint: Option<&str>) -> World {
        let mut notes = Vec::new();
        let world = world.conclude(hint, &mut notes);
        self.print(notes);
        world
    }

    /// Prints the notes of a step, even if it fails.
    pub(super) fn noting<T>(
        &self,
        step: impl FnOnce(&mut Vec<Note>) -> Result<T, EvidenceError>,
    ) -> anyhow::Result<T> {
        let mut notes = Vec::new();
        let result = step(&mut notes);
        self.print(notes);
        result.map_err(explained)
    }

    pub(super) fn print(&self, notes: impl IntoIterator<Item = Note>) {
        for note in notes {
            match note {
                Note::Error(text) => complain(&text),
                Note::Warning(text) if !self.global.quiet => warn(&text),
                Note::Info(text) if !self.global.quiet => say_plainly(&text),
                Note::Warning(_) | Note::Info(_) => {}
            }
        }
    }

    /// Which CronJobs to read, and what about them.
    pub(super) fn query(
        &self,
        selection: &Selection,
        needs: Needs,
    ) -> anyhow::Result<EvidenceQuery> {
        let names = selection.names.iter().map(|name| plain_name(name));
        let names = names.collect::<anyhow::Result<_>>()?;
        let resource = selection.resource.as_deref().map(Resource::read);
        Ok(EvidenceQuery {
            wanted: ClusterQuery {
                resource: resource.transpose()?.unwrap_or_else(Resource::cron_jobs),
                namespace: self.connection.namespace.clone(),
                names,
                label_selector: selection.selector.clone(),
                field_selector: selection.field_selector.clone(),
                jobs: needs.jobs,
                pods: needs.pods,
                page: selection.chunk_size,
            },
            all_namespaces: selection.all_namespaces,
        })
    }

    /// How the cluster is reached, and where requests are logged.
    pub(super) fn access(&self) -> Access {
        Access {
            trace: (self.global.verbose > 0).then_some(say_plainly as fn(&str)),
            notice: (!self.global.quiet).then_some(|text: &str| warn(text)),
            ..Access::from(&self.connection)
        }
    }
}

impl World {
    /// Which CronJobs it is about.
    pub(super) fn selection(&self, flags: &Selection, managed_by: Option<String>) -> ScanSelection {
        let names = flags.names.iter().filter_map(|name| plain_name(name).ok());
        let names: BTreeSet<String> = names.collect();
        ScanSelection {
            namespace: self.namespace.clone(),
            names: names.into_iter().collect(),
            label_selector: flags.selector.clone(),
            field_selector: flags.field_selector.clone(),
            managed_by,
        }
    }
}

/// The name in `NAME`, `cronjob/NAME` or `cj/NAME`.
fn plain_name(argument: &str) -> anyhow::Result<String> {
    const KINDS: [&str; 5] = [
        "cronjob",
        "cronjobs",
        "cj",
        "cronjob.batch",
        "cronjobs.batch",
    ];
    let (kind, name) = match argument.split_once('/') {
        None => (None, argument),
        Some((kind, name)) => (Some(kind), name),
    };
    let is_other = |kind: &&str| !KINDS.contains(&kind.to_ascii_lowercase().as_str());
    match kind.filter(is_other) {
        None if !name.is_empty() => Ok(name.to_owned()),
        Some(kind) if !kind.is_empty() => bail!("{argument:?} is a {kind}, not a CronJob"),
        _ => {
            bail!("{argument:?} is not a valid CronJob name: must be NAME, cronjob/NAME or cj/NAME")
        }
    }
}

/// Converts an error of loading for printing.
pub(super) fn explained(error: EvidenceError) -> anyhow::Error {
    match error {
        EvidenceError::Cluster(error) => error.into(),
        EvidenceError::Selector {
            ref text,
            error: ref wrong,
            ..
        } => Diagnostic::new(error.to_string())
            .excerpt(text, wrong.span())
            .into(),
        EvidenceError::Version(_) => error.into(),
    }
}

/// Mentions -f if there is no cluster.
pub(super) fn or_files(error: anyhow::Error) -> anyhow::Error {
    match error.downcast_ref() {
        Some(cluster::ClusterError::NoCluster { tried }) => {
            let notice = Diagnostic::new(error.to_string()).listing(tried);
            notice
                .help("Set the kubeconfig with --kubeconfig, or read files with -f.")
                .into()
        }
        _ => error,
    }
}

/// The controller in documents.
pub(super) fn controller_document(basis: &Basis) -> ControllerDocument {
    let controller = basis.controller();
    ControllerDocument {
        model: controller.model.name(controller.release),
        kubernetes_version: controller.release.to_string(),
        source: basis.release_source(),
        time_zone: controller.local.name().to_owned(),
        time_zone_source: basis.time_zone_source(),
    }
}

/// The time zone of a flag, if given.
pub(super) fn zone_of(
    flag: &str,
    name: Option<&String>,
    zones: &ZoneDatabase,
) -> anyhow::Result<Option<Arc<Zone>>> {
    let Some(name) = name else {
        return Ok(None);
    };
    match load_location(name, zones) {
        Ok(Location::Zone(zone)) if !name.is_empty() => Ok(Some(zone)),
        Ok(_) => {
            let error = Diagnostic::new(format!("{flag}: {name:?} is not a time zone"));
            bail!(error.help(TIME_ZONE_HELP))
        }
        // Its message has the name.
        Err(error @ ZoneError::Unknown(_)) => {
            bail!(Diagnostic::new(format!("{flag}: {error}")).help(&time_zone_help(name)))
        }
        Err(error) => {
            let error = Diagnostic::new(format!("{flag}: {name:?}: {error}"));
            bail!(error.help(&time_zone_help(name)))
        }
    }
}

/// The only place that reads the local clock.
#[allow(
    clippy::disallowed_methods,
    reason = "the one place; `now` is an argument everywhere else"
)]
pub(super) fn read_clock() -> Timestamp {
    Timestamp::now()
}
