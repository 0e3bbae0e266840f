//! Several contexts: each is read like a single one, all at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::bail;

use super::args::Common;
use super::diagnostic::Diagnostic;
use super::side_by_side::side_by_side;
use super::stdio::Meter;
use super::{Cli, complain, hint, stdio};
use crate::evidence::EvidenceError;
use crate::output::contexts::{ContextAnswer, ContextAnswers, ContextRecord};
use cronjob_text::words::listed;
use kube_access::ClusterError;

/// How many contexts are read at the same time.
const AT_ONCE: usize = 16;

impl Common {
    /// The answer about the context, or about each of several.
    pub(super) fn in_each_context<T: Send>(
        &self,
        answer: impl Fn(&Common) -> anyhow::Result<T> + Sync,
    ) -> anyhow::Result<ContextAnswers<T>> {
        let names = &self.connection.several;
        if names.is_empty() {
            return Ok(ContextAnswers::one(answer(self)?));
        }
        let (done, count) = (Arc::new(AtomicUsize::new(0)), names.len());
        let counted = Arc::clone(&done);
        let meter = Meter::start(true, move || {
            let done = counted.load(Ordering::Relaxed);
            format!("reading: {done} of {count} contexts")
        });
        let all = side_by_side(names, AT_ONCE, |name| {
            let answer = self.in_context(name, &answer);
            done.fetch_add(1, Ordering::Relaxed);
            answer
        });
        drop(meter);
        let all = all.into_iter().collect::<anyhow::Result<_>>()?;
        Ok(ContextAnswers::several(all))
    }

    /// The answer about one of several contexts. If it cannot be read, the others are shown nevertheless.
    fn in_context<T>(
        &self,
        name: &str,
        answer: impl Fn(&Common) -> anyhow::Result<T>,
    ) -> anyhow::Result<ContextAnswer<T>> {
        let record = Arc::new(ContextRecord::default());
        record.change(|about| name.clone_into(&mut about.name));
        let common = Common {
            connection: self.connection.in_context(name),
            record: Some(Arc::clone(&record)),
            ..self.clone()
        };
        let answer = stdio::naming(Some(name), || match answer(&common) {
            Ok(answer) => Ok(Some(answer)),
            Err(error) if is_of_context(&error) => {
                record.change(|about| about.add_error(&format!("{error:#}")));
                complain(Diagnostic::of(&error));
                Ok(None)
            }
            Err(error) => Err(error),
        });
        Ok(ContextAnswer {
            about: record.about(),
            answer: answer?,
        })
    }
}

/// Whether an error is about one context only.
fn is_of_context(error: &anyhow::Error) -> bool {
    error.is::<ClusterError>() || error.is::<EvidenceError>()
}

impl Cli {
    /// Resolves `--context`, and fails if several are given to a verb that takes one.
    pub(super) fn settle_contexts(&mut self) -> anyhow::Result<()> {
        let connection = &mut self.common.connection;
        let cron_jobs = self.verb.cron_jobs();
        let everywhere = cron_jobs.is_some_and(|of| of.all_namespaces);
        let by_namespace = connection.namespaces.is_empty() && !everywhere;
        let same = connection.settle_contexts(by_namespace)?;
        let several = &connection.several;
        let Some(first) = several.first() else {
            let is_settled = connection.context.is_some() || connection.contexts.is_empty();
            if !is_settled || connection.all_contexts {
                bail!("--context: no context is left");
            }
            return Ok(());
        };
        let flags = self.verb.flags_of_one_context().into_iter();
        let mut limits = flags.chain([(self.spec.name, !self.spec.several_contexts)]);
        if let Some((what, _)) = limits.find(|(_, is_given)| *is_given) {
            let error = match several.as_ref() {
                [_] => format!("{what} takes the name of a context, not a pattern"),
                several => format!("{what} takes only one context, not {}", listed(several)),
            };
            let help = format!("Use one context at a time: --context {first}");
            bail!(Diagnostic::new(error).help(&help));
        }
        let flags = [
            ("-f", cron_jobs.is_some_and(|of| !of.filename.is_empty())),
            ("--server", connection.server.is_some()),
            ("--cluster", connection.cluster.is_some()),
        ];
        if let Some((flag, _)) = flags.iter().find(|(_, is_set)| *is_set) {
            bail!("{flag} cannot be used with several contexts");
        }
        for (name, first) in same {
            hint(&format!(
                "Context {name:?} has the same cluster and user as {first:?} and is not read again."
            ));
        }
        Ok(())
    }
}
