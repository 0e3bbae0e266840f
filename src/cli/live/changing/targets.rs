//! Which CronJobs to change.

use std::collections::BTreeMap;
use std::io;

use anyhow::bail;

use super::NEEDS;
use crate::cli::args::{Common, Connection};
use crate::cli::complain;
use crate::cli::diagnostic::Diagnostic;
use crate::cli::live::changing::Targets;
use crate::evidence::{Basis, Live, World};
use kube_objects::snapshot::{self, Options};

/// The names of CronJobs by namespace; `None` for that of the context.
type NamedTargets = BTreeMap<Option<String>, Vec<String>>;

/// Reads the CronJobs that the arguments select. `by_default` is whether they select those of the namespace if they say
/// nothing.
pub(crate) fn load_targets(
    common: &Common,
    basis: Basis,
    targets: &Targets,
    by_default: bool,
) -> anyhow::Result<(Live, World)> {
    if targets.cron_jobs.filename.is_empty() {
        if !targets.is_chosen() && !by_default {
            let how = "Name a CronJob, or use -l, -f, --all (in the namespace) or -A (in all namespaces).";
            bail!(Diagnostic::new("no CronJob is selected").help(how));
        }
        return common.load_live(basis, &targets.selection(), NEEDS);
    }
    let named = named_in_files(&common.connection, targets)?;
    load_named(common, basis, targets, &named)
}

/// Reads CronJobs of several namespaces by their names.
fn load_named(
    common: &Common,
    basis: Basis,
    targets: &Targets,
    named: &NamedTargets,
) -> anyhow::Result<(Live, World)> {
    let mut namespaces = named.iter();
    let Some((first, names)) = namespaces.next() else {
        bail!("nothing was changed: no CronJob found in the files given with -f");
    };
    let of_flag = common.connection.namespace();
    let mut query = common.query(&targets.selection(), NEEDS)?;
    query.wanted.namespace = first.as_ref().or(of_flag).cloned();
    query.wanted.names.clone_from(names);
    query.wanted.suggests = true;
    let (mut live, basis) = common.connect(basis, query)?;
    let mut world = common.read(&mut live, basis)?;
    if named.len() > 1 {
        let of_context = live.session.namespace().to_owned();
        let more = namespaces.map(|(other, names)| {
            let namespace = other.as_ref().or(of_flag).unwrap_or(&of_context);
            (namespace.clone(), names.clone())
        });
        world = common.read_more(&mut live, world, more)?;
    }
    let world = common.conclude(world, Some(&live), None);
    Ok((live, world))
}

fn named_in_files(connection: &Connection, targets: &Targets) -> anyhow::Result<NamedTargets> {
    // A manifest without a namespace gets that of the context, as with kubectl.
    const NOT_SAID: &str = "";
    let options = Options {
        recursive: targets.cron_jobs.recursive,
        namespace: NOT_SAID.to_owned(),
        ..Options::default()
    };
    let (evidence, errors) = snapshot::read(
        &targets.cron_jobs.filename,
        &options,
        &mut io::stdin().lock(),
    );
    for error in &errors {
        complain(&error.to_string());
    }
    for file in &evidence.unread {
        complain(&file.to_string());
    }
    if !errors.is_empty() || !evidence.unread.is_empty() {
        bail!("nothing was changed: some of the files given with -f cannot be read");
    }
    let mut names = NamedTargets::new();
    for located in evidence.cron_jobs {
        let own = located.object.namespace;
        let asked = connection.namespace();
        if let Some(asked) = asked.filter(|asked| !own.is_empty() && **asked != own) {
            let name = located.object.name;
            bail!(
                "{}: {name} is in namespace {own:?}, which does not match -n {asked:?}",
                located.file
            );
        }
        let namespace = (own != NOT_SAID).then_some(own);
        names
            .entry(namespace)
            .or_default()
            .push(located.object.name);
    }
    Ok(names)
}
