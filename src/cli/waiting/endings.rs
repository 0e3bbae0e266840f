//! How Jobs ended that were waited for, and why.

use std::io;
use std::time::Instant;

use super::run::Run;
use super::{GRACE, Waiting};
use crate::change::Ending;
use crate::cli::changing::ChangeRun;
use crate::cli::{complain, say_plainly, stdio};
use crate::cluster::{OfJobs, Pods};
use crate::diagnose::{Coverage, Facts, diagnose};
use crate::duration::human;
use crate::model::CronJobEvidence;
use crate::output::actions::ending;

impl Waiting<'_> {
    /// Tells how those ended of which everything was read.
    pub(super) fn tell_endings(&mut self, round: &ChangeRun<'_>) -> io::Result<()> {
        for number in 0..self.runs.len() {
            let logs = self.options.logs;
            let is_read = self.logs.iter().all(|(other, _)| *other != number);
            let Some(run) = self.runs.get_mut(number).filter(|run| !run.is_told) else {
                continue;
            };
            let Some(how) = run.course.ending() else {
                continue;
            };
            let ended_at = *run.ended_at.get_or_insert_with(Instant::now);
            let may_miss = run.course.misses_pods() && ended_at.elapsed() < GRACE;
            if logs && (!is_read || may_miss || run.again_at.is_some()) {
                continue;
            }
            run.is_told = true;
            if let Some(run) = self.runs.get(number) {
                self.tell_ending(round, run, &how)?;
            }
        }
        Ok(())
    }

    fn tell_ending(&self, round: &ChangeRun<'_>, run: &Run, how: &Ending) -> io::Result<()> {
        let job = &run.course.job().name;
        if *how == Ending::Gone {
            complain(&format!(
                "job.batch/{job}: it was deleted before it was over"
            ));
        } else if self.options.to_stdout {
            ending(&mut stdio::stdout(), job, how)?;
        } else if !self.options.quiet {
            // If stderr is gone there is no one to tell.
            let _ = ending(&mut stdio::stderr(), job, how);
        }
        if matches!(how, Ending::Failed { .. }) {
            self.tell_why(round, run);
        }
        Ok(())
    }

    /// Says of a Job that it keeps running, and what keeps it.
    pub(super) fn give_up(&self, round: &ChangeRun<'_>, run: &Run) {
        let job = &run.course.job().name;
        if !self.is_late() {
            say_plainly(&format!("job.batch/{job} keeps running"));
            return;
        }
        let timeout = self.options.timeout.unwrap_or_default().as_secs();
        let timeout = human(i64::try_from(timeout).unwrap_or(i64::MAX));
        complain(&format!(
            "job.batch/{job}: it is not over after {timeout}, and keeps running"
        ));
        self.tell_why(round, run);
    }

    /// What the findings say of the pods of a Job.
    fn tell_why(&self, round: &ChangeRun<'_>, run: &Run) {
        if !self.options.beside.pods || self.options.quiet {
            return;
        }
        let session = &round.live.session;
        let job = run.course.job();
        let mut evidence = CronJobEvidence {
            cron_job: run.cron_job.clone(),
            jobs: vec![job.clone()],
            pods: run.course.pods().cloned().collect(),
            ..CronJobEvidence::default()
        };
        // The pods may be gone by now; the events about them are not.
        let of = OfJobs {
            namespace: Some(job.namespace.clone()),
            jobs: vec![job.name.clone()],
            lack_pods: false,
        };
        if let Ok((seen, _)) = session.pods(&[of], Pods::OfUnsettled) {
            evidence.events = seen.events;
        }
        let coverage = Coverage {
            jobs_read: true,
            events_read: true,
            as_of: round.live.clock.now(),
        };
        let controller = round.basis.controller();
        let facts = Facts::of(&controller, &evidence, coverage, round.live.clock.now());
        for finding in diagnose(&facts) {
            if finding.code.starts_with("pod") || finding.code == "last-run-failed" {
                say_plainly(&finding.detail);
                if let Some(remedy) = &finding.remedy {
                    say_plainly(&format!("  {remedy}"));
                }
            }
        }
    }
}
