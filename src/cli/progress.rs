//! What is going on, for somebody who waits.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::cluster::Progress;

/// Nobody wonders before that.
const PATIENCE: Duration = Duration::from_secs(1);
const PERIOD: Duration = Duration::from_millis(200);

/// A line on stderr that counts what has come, as long as it is kept.
pub(super) struct Meter {
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Meter {
    /// Begins to count, if somebody looks at the terminal.
    pub(super) fn start(progress: Progress, wanted: bool) -> Self {
        if !wanted || !io::stderr().is_terminal() {
            return Meter { running: None };
        }
        let (stop, stopped) = channel::<()>();
        let thread = thread::spawn(move || {
            let mut wait = PATIENCE;
            let mut shown = false;
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let [cron_jobs, jobs, events] = progress.counts();
                let line = format!("reading: {cron_jobs} CronJobs, {jobs} Jobs, {events} events");
                repaint(&line);
                shown = true;
                wait = PERIOD;
            }
            if shown {
                repaint("");
            }
        });
        Meter {
            running: Some((stop, thread)),
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            drop(stop);
            // The line must be gone before anything else is written.
            let _ = thread.join();
        }
    }
}

/// Replaces the line, which has numbers in it only.
#[expect(
    clippy::disallowed_methods,
    reason = "the filter lets no carriage return pass"
)]
fn repaint(line: &str) {
    // If stderr is gone there is no one to tell.
    let _ = write!(anstream::stderr(), "\r\x1b[K{line}");
}
