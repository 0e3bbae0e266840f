//! The last lines of logs.

use super::Live;
use cronjob_diagnosis::diagnose::{Facts, Input, LogTail, first_logs};
use kube_access::LogSource;

impl Live {
    /// Reads the last lines of the log that shows why the last run failed, or of those that are running.
    pub(crate) fn log_tails(
        &self,
        facts: &Facts<'_>,
        lines: u64,
        most: usize,
    ) -> Option<Vec<LogTail>> {
        let tails = first_logs(facts);
        let read = |tail| self.log_tail(&facts.input, lines, tail);
        (tails.len() <= most).then(|| tails.into_iter().map(read).collect())
    }

    /// Adds the lines.
    pub(crate) fn log_tail(&self, input: &Input<'_>, lines: u64, tail: LogTail) -> LogTail {
        let source = LogSource {
            namespace: input.cron_job.namespace.clone(),
            pod: tail.pod.clone(),
            container: tail.container.clone(),
        };
        match self.session.log_end(&source, tail.previous, lines) {
            Ok((text, truncated)) => LogTail {
                lines: text.lines().map(str::to_owned).collect(),
                truncated,
                ..tail
            },
            Err(error) => LogTail {
                error: Some(error.to_string()),
                ..tail
            },
        }
    }
}
