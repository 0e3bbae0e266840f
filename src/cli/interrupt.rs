//! Signals that end the program.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU8, Ordering};

use kube_access::Interruption;

pub(super) const IDLE: u8 = 0;
/// A change is in progress, and no signal has come.
pub(super) const BUSY: u8 = 1;

/// One of the two, or the exit code for the signal that came during a change.
pub(super) static STATE: AtomicU8 = AtomicU8::new(IDLE);

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
    #[cfg(feature = "cluster")]
    super::live::terminal::restore();
    std::process::exit(i32::from(code));
}
