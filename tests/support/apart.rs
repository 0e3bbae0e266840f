//! The test server in a process of its own, so that what a client takes is the client's alone.
//!
//! The process is another run of the same program: whoever includes this calls [`serve_if_asked`]
//! before anything else. It needs `crate::support::apiserver`.

#![allow(dead_code, reason = "each user needs its own part of it")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test may fail in any way"
)]

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use super::apiserver::{ApiServer, Options};

/// Says that a process is to be the server, of how many objects, and how slow.
const HERD: &str = "CRONJOB_DOCTOR_TEST_HERD";
/// What the line begins with in which the server says where it is.
const SERVING: &str = "serving at ";

/// A server in another process. It ends when this is dropped.
pub(crate) struct Apart {
    child: Child,
    stdin: Option<ChildStdin>,
    /// What it says at its end has to go somewhere.
    _stdout: BufReader<ChildStdout>,
    url: String,
}

impl Apart {
    /// Starts this program again, with arguments that lead it to [`serve_if_asked`].
    pub(crate) fn start(arguments: &[&str], cron_jobs: usize, jobs_each: usize) -> Apart {
        Self::with_pace(arguments, cron_jobs, jobs_each, 0)
    }

    /// Starts this program as [`Self::start`] does; lists take `pace` microseconds for each of their objects.
    pub(crate) fn with_pace(
        arguments: &[&str],
        cron_jobs: usize,
        jobs_each: usize,
        pace: usize,
    ) -> Apart {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(arguments)
            .env(HERD, format!("{cron_jobs} {jobs_each} {pace}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let url = stdout
            .by_ref()
            .lines()
            .find_map(|line| {
                let line = line.unwrap();
                let (_, url) = line.split_once(SERVING)?;
                Some(url.to_owned())
            })
            .expect("the server did not start");
        Apart {
            child,
            stdin,
            _stdout: stdout,
            url,
        }
    }

    /// Where it is.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}

/// In the process that is to be the server, serves until the other one is done.
pub(crate) fn serve_if_asked() -> bool {
    let Ok(herd) = std::env::var(HERD) else {
        return false;
    };
    let numbers: Vec<usize> = herd.split(' ').map(|it| it.parse().unwrap()).collect();
    let [cron_jobs, jobs_each, pace] = numbers.try_into().unwrap();
    let server = ApiServer::start(Options {
        pace: Duration::from_micros(pace.try_into().unwrap()),
        ..Options::synthetic(cron_jobs, jobs_each)
    });
    let mut out = io::stdout();
    writeln!(out, "{SERVING}{}", server.url()).unwrap();
    out.flush().unwrap();
    // It ends when the other one closes it, or is no more.
    let _ = io::stdin().read_to_end(&mut Vec::new());
    true
}
