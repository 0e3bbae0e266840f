//! A call that keeps running, and whose output is read line by line.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Read};
use std::process::Child;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crate::live::call::Call;
use crate::support::apiserver::ApiServer;
use crate::support::run::Ran;
use crate::support::signal;

/// The longest time to wait for a line.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// How the warning about a clock that differs from the server's begins.
pub(crate) const CLOCK: &str = "warning: local clock is ";

/// A call that keeps running.
pub(crate) struct RunningCall {
    child: Child,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
    /// The lines of stdout and of stderr that were waited for.
    received: RefCell<[String; 2]>,
    /// The address to replace in these lines.
    server: Option<String>,
}

impl RunningCall {
    pub(crate) fn start(call: Call<'_>) -> RunningCall {
        let server = call.server().map(ApiServer::url);
        let mut child = call.start();
        let stdout = lines(child.stdout.take().unwrap());
        let stderr = lines(child.stderr.take().unwrap());
        RunningCall {
            child,
            stdout,
            stderr,
            received: RefCell::default(),
            server,
        }
    }

    /// The next line of stdout.
    #[track_caller]
    pub(crate) fn line(&self) -> String {
        let line = self
            .stdout
            .recv_timeout(LONGEST_WAIT)
            .expect("no line came");
        self.received.borrow_mut()[0] += &format!("{line}\n");
        line
    }

    /// The next line of stderr.
    #[track_caller]
    pub(crate) fn message(&self) -> String {
        let line = self.stderr.recv_timeout(LONGEST_WAIT);
        let line =
            line.unwrap_or_else(|_| panic!("no further line on stderr: {:?}", self.received));
        self.received.borrow_mut()[1] += &format!("{line}\n");
        line
    }

    /// Asserts what the next line of stdout is.
    #[track_caller]
    pub(crate) fn expect_line(&self, expected: &str) {
        assert_eq!(self.line(), expected);
    }

    /// Asserts what the next line of stderr is.
    #[track_caller]
    pub(crate) fn expect_message(&self, expected: &str) {
        assert_eq!(self.message(), expected);
    }

    /// Waits for `count` lines of stdout, and ignores them.
    #[track_caller]
    pub(crate) fn skip_lines(&self, count: usize) {
        (0..count).for_each(|_| drop(self.line()));
    }

    /// Waits for `count` lines of stderr, and ignores them.
    #[track_caller]
    pub(crate) fn skip_messages(&self, count: usize) {
        (0..count).for_each(|_| drop(self.message()));
    }

    /// The next line of stderr that is accepted.
    #[track_caller]
    pub(crate) fn message_where(&self, is_accepted: impl Fn(&str) -> bool) -> String {
        loop {
            let line = self.message();
            if is_accepted(&line) {
                return line;
            }
        }
    }

    /// The next line of stderr, if there is one before its end.
    #[track_caller]
    pub(crate) fn message_before_end(&self) -> Option<String> {
        match self.stderr.recv_timeout(LONGEST_WAIT) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("it does not end"),
        }
    }

    /// Interrupts it, as Ctrl-C does.
    pub(crate) fn interrupt(&self) {
        self.signal("INT");
    }

    /// Interrupts it, waits for its end, and returns what else it printed to stdout, and its exit code.
    pub(crate) fn interrupted(self) -> (Vec<String>, Option<i32>) {
        self.interrupt();
        self.end()
    }

    /// Its process ID.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, name: &str) {
        signal::send(name, self.child.id());
    }

    /// Waits for its end, and returns what else it printed to stdout, and its exit code.
    pub(crate) fn end(mut self) -> (Vec<String>, Option<i32>) {
        let code = self.child.wait().unwrap().code();
        (self.stdout.iter().collect(), code)
    }

    /// Waits for its end, and returns all of stdout, the lines of stderr that were waited for, and
    /// the exit code.
    pub(crate) fn ran(mut self) -> Ran {
        let code = self.child.wait().unwrap().code().unwrap();
        let [mut stdout, stderr] = self.received.take();
        stdout.extend(self.stdout.iter().map(|line| line + "\n"));
        let ran = Ran {
            stdout,
            stderr,
            code,
        };
        match &self.server {
            Some(url) => ran.replacing(url, "SERVER"),
            None => ran,
        }
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}
