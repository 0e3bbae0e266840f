//! The end of a server, for threads that wait for something else.

use std::sync::{Condvar, Mutex};
use std::time::Duration;

/// Whether the server has stopped.
#[derive(Default)]
pub(crate) struct Stop {
    stopped: Mutex<bool>,
    changed: Condvar,
}

impl Stop {
    pub(crate) fn stop(&self) {
        *self.stopped.lock().unwrap() = true;
        self.changed.notify_all();
    }

    pub(crate) fn is_stopped(&self) -> bool {
        *self.stopped.lock().unwrap()
    }

    /// Waits for a moment, and returns whether the server has stopped.
    pub(crate) fn pause(&self) -> bool {
        let stopped = self.stopped.lock().unwrap();
        let pause = Duration::from_millis(50);
        *self.changed.wait_timeout(stopped, pause).unwrap().0
    }

    /// Waits for the end.
    pub(crate) fn wait(&self) {
        let mut stopped = self.stopped.lock().unwrap();
        while !*stopped {
            stopped = self.changed.wait(stopped).unwrap();
        }
    }
}
