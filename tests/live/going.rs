//! A call that goes on, and is heard line by line.

use std::io::{BufRead, BufReader, Read};
use std::process::Child;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crate::live::call::Call;
use crate::support::signal;

/// Nobody waits longer for a line.
const PATIENCE: Duration = Duration::from_secs(60);

/// A call that goes on.
pub(crate) struct Going {
    child: Child,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
}

impl Going {
    pub(crate) fn start(call: Call<'_>) -> Going {
        let mut child = call.start();
        let stdout = lines(child.stdout.take().unwrap());
        let stderr = lines(child.stderr.take().unwrap());
        Going {
            child,
            stdout,
            stderr,
        }
    }

    /// The next line of stdout.
    #[track_caller]
    pub(crate) fn line(&self) -> String {
        self.stdout.recv_timeout(PATIENCE).expect("no line came")
    }

    /// The next line of stderr.
    #[track_caller]
    pub(crate) fn said(&self) -> String {
        let line = self.stderr.recv_timeout(PATIENCE);
        line.expect("nothing was said")
    }

    /// The next line of stderr, if there is one before its end.
    #[track_caller]
    pub(crate) fn said_before_end(&self) -> Option<String> {
        match self.stderr.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("it does not end"),
        }
    }

    /// Interrupts it, as whoever has had enough does.
    pub(crate) fn interrupt(&self) {
        signal::send("INT", self.child.id());
    }

    /// Waits for its end, and returns what else it had to tell on stdout, and its exit code.
    pub(crate) fn end(mut self) -> (Vec<String>, Option<i32>) {
        let code = self.child.wait().unwrap().code();
        (self.stdout.iter().collect(), code)
    }
}

impl Drop for Going {
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
