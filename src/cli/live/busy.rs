//! Signals during a change.

use std::sync::atomic::Ordering;

use crate::cli::interrupt::{BUSY, IDLE, SIGNALS, STATE};
use kube_access::Session;

/// While it exists, a signal is stored instead of ending the process.
pub(super) struct Busy(());

impl Busy {
    /// Handles all signals that end the process from now on, not only Ctrl-C.
    pub(super) fn begin(session: &Session) -> Self {
        STATE.store(BUSY, Ordering::Relaxed);
        session.listen_to_signals();
        Busy(())
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.ended_by().is_some()
    }

    /// The exit code for the signal, if one came.
    pub(super) fn ended_by(&self) -> Option<u8> {
        let Busy(()) = self;
        Some(STATE.load(Ordering::Relaxed)).filter(|state| *state > BUSY)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        STATE.store(IDLE, Ordering::Relaxed);
        SIGNALS.forget();
    }
}
