//! Signals that end the program.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::cluster::{Interruption, Session};

const IDLE: u8 = 0;
/// A change is in progress, and no signal has come.
const BUSY: u8 = 1;

/// One of the two, or the exit code for the signal that came during a change.
static STATE: AtomicU8 = AtomicU8::new(IDLE);

pub(super) static SIGNALS: LazyLock<Interruption> = LazyLock::new(|| Interruption::new(on_signal));

/// After a first signal a change reports what it did; a second one ends the process immediately.
fn on_signal(code: u8) {
    let busy = STATE.compare_exchange(BUSY, code, Ordering::Relaxed, Ordering::Relaxed);
    if busy.is_err() {
        leave(code);
    }
}

/// Ends the process.
#[allow(
    clippy::exit,
    clippy::disallowed_methods,
    reason = "an interruption ends the process immediately"
)]
fn leave(code: u8) {
    #[cfg(feature = "tui")]
    super::top::terminal::restore();
    std::process::exit(i32::from(code));
}

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
