//! The CronJobs that are to be changed.

use std::collections::BTreeMap;
use std::io;

use anyhow::bail;

use crate::cli::args::{Connection, Global, Targets};
use crate::cli::complain;
use crate::cli::connect::Live;
use crate::cli::gather::{conclude, gather_live};
use crate::cli::gathered::{Gathered, Needs};
use crate::cli::settings::Settings;
use crate::snapshot::{self, Options};

/// What is read of each: the Jobs decide what a change leads to, and nothing else does.
const NEEDS: Needs = Needs::JOBS;

/// Names by their namespaces; `None` for that of the context.
pub(in crate::cli) type Named = BTreeMap<Option<String>, Vec<String>>;

/// Reads the CronJobs that a call is about.
pub(in crate::cli) fn reach(
    settings: &mut Settings,
    global: &Global,
    connection: &Connection,
    targets: &Targets,
) -> anyhow::Result<(Live, Gathered)> {
    if targets.filename.is_empty() {
        let chosen = !targets.names.is_empty() || targets.selector.is_some();
        if !chosen && !targets.all && !targets.all_namespaces {
            bail!(
                "which CronJobs? Name them, or choose with -l SELECTOR, -f FILE, --all (of the \
                 namespace) or -A (of all namespaces)"
            );
        }
        return gather_live(settings, global, connection, &targets.selection(), NEEDS);
    }
    let named = named_in_files(connection, targets)?;
    reach_named(settings, global, connection, targets, &named)
}

/// Reads CronJobs of several namespaces by their names.
pub(in crate::cli) fn reach_named(
    settings: &mut Settings,
    global: &Global,
    connection: &Connection,
    targets: &Targets,
    named: &Named,
) -> anyhow::Result<(Live, Gathered)> {
    let mut all: Option<(Live, Gathered)> = None;
    for (namespace, names) in named {
        let namespace = namespace.clone().or_else(|| connection.namespace.clone());
        match &mut all {
            None => {
                let connection = Connection {
                    namespace,
                    ..connection.clone()
                };
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let selection = targets.selection();
                let mut live =
                    Live::open(settings, global, &connection, &selection, &names, NEEDS)?;
                let gathered = live.read(settings, global)?;
                all = Some((live, gathered));
            }
            Some((live, gathered)) => {
                let context = live.session.namespace().to_owned();
                live.wanted.namespace = Some(namespace.unwrap_or(context));
                live.wanted.names.clone_from(names);
                let more = live.read(settings, global)?;
                gathered.chosen.extend(more.chosen);
                gathered.complete &= more.complete;
                gathered.lacks.extend(more.lacks);
                gathered.namespace = None;
            }
        }
    }
    let Some((mut live, gathered)) = all else {
        bail!("nothing was changed: there is no CronJob in what -f names");
    };
    conclude(settings, global, &gathered);
    if named.len() > 1 {
        live.wanted.namespace = None;
        live.wanted.names = named.values().flatten().cloned().collect();
    }
    Ok((live, gathered))
}

fn named_in_files(connection: &Connection, targets: &Targets) -> anyhow::Result<Named> {
    // What a manifest leaves open is filled in as kubectl does it.
    const NOT_SAID: &str = "";
    let options = Options {
        recursive: targets.recursive,
        namespace: NOT_SAID.to_owned(),
        ..Options::default()
    };
    let (evidence, errors) = snapshot::read(&targets.filename, &options, &mut io::stdin().lock());
    for error in &errors {
        complain(&error.to_string());
    }
    for file in &evidence.unread {
        complain(&file.to_string());
    }
    if !errors.is_empty() || !evidence.unread.is_empty() {
        bail!("nothing was changed: not all that -f names can be read");
    }
    let mut named = Named::new();
    for located in evidence.cron_jobs {
        let own = located.object.namespace;
        let asked = connection.namespace.as_ref();
        if let Some(asked) = asked.filter(|asked| !own.is_empty() && **asked != own) {
            let name = located.object.name;
            bail!(
                "{}: {name} is of the namespace {own:?}, and -n says {asked:?}",
                located.file
            );
        }
        let namespace = (own != NOT_SAID).then_some(own);
        named
            .entry(namespace)
            .or_default()
            .push(located.object.name);
    }
    Ok(named)
}
