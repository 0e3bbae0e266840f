//! The test server in its own process, so that the measured time and memory are those of the client alone.
//!
//! The process is another run of the same program: a program that includes this module calls [`serve_if_asked`] before
//! anything else. It needs `crate::support::apiserver`.

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

/// Makes a process the server, and sets how many objects it has and how slow it is.
const SERVER_SETTINGS: &str = "CRONJOB_DOCTOR_TEST_SERVER";
/// The start of the line in which the server prints its URL.
const SERVING: &str = "serving at ";

/// A server in another process. It ends when this is dropped.
pub(crate) struct Apart {
    child: Child,
    stdin: Option<ChildStdin>,
    /// Kept open for what the process prints at its end.
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
            .env(SERVER_SETTINGS, format!("{cron_jobs} {jobs_each} {pace}"))
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

/// In the process that is the server, serves until the other process is done.
pub(crate) fn serve_if_asked() -> bool {
    let Ok(settings) = std::env::var(SERVER_SETTINGS) else {
        return false;
    };
    let numbers: Vec<usize> = settings.split(' ').map(|it| it.parse().unwrap()).collect();
    let [cron_jobs, jobs_each, pace] = numbers.try_into().unwrap();
    let server = ApiServer::start(Options {
        pace: Duration::from_micros(pace.try_into().unwrap()),
        ..Options::synthetic(cron_jobs, jobs_each)
    });
    let mut out = io::stdout();
    writeln!(out, "{SERVING}{}", server.url()).unwrap();
    out.flush().unwrap();
    // stdin ends when the other process closes it or has ended.
    let _ = io::stdin().read_to_end(&mut Vec::new());
    true
}
