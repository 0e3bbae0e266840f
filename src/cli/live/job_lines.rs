//! The lines about Jobs that a command waits for.

use std::io::{self, Write};

use crate::cli::{complain, hint, is_quiet, stdio};
use crate::output::actions::{job_end, waits_for_pod, write_job_deleted, write_job_update};
use cronjob_diagnosis::change::{JobEnd, JobUpdate};

/// Where the lines about Jobs go.
#[derive(Clone, Copy)]
pub(super) struct JobLines {
    /// Whether results are lines on stdout. Otherwise there is a document.
    pub(super) to_stdout: bool,
}

impl JobLines {
    /// Writes what happened to a Job.
    pub(super) fn updates(job: &str, updates: impl IntoIterator<Item = JobUpdate>) {
        for update in updates.into_iter().filter(|_| !is_quiet()) {
            // An error of a closed stderr changes nothing.
            let _ = write_job_update(&mut stdio::stderr(), job, &update);
        }
    }

    /// Writes how a Job ended.
    pub(super) fn end(self, job: &str, end: &JobEnd) -> io::Result<()> {
        if *end == JobEnd::Deleted {
            complain(&format!("job.batch/{job}: deleted before it finished"));
            return Ok(());
        }
        self.result(|out| writeln!(out, "{}", job_end(job, end)))
    }

    /// Writes how a Job will end, and what it waits for.
    pub(super) fn ending(job: &str, decided: &JobEnd) {
        hint(&job_end(job, decided));
        hint(&waits_for_pod(job));
    }

    /// Writes that a Job was deleted after it had finished.
    pub(super) fn deleted(self, job: &str) -> io::Result<()> {
        self.result(|out| write_job_deleted(out, job))
    }

    fn result(self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        if self.to_stdout {
            return write(&mut stdio::stdout());
        }
        if !is_quiet() {
            // An error of a closed stderr changes nothing.
            let _ = write(&mut stdio::stderr());
        }
        Ok(())
    }
}
