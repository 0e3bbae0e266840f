//! The end that a user asks for.

use std::sync::atomic::{AtomicU8, Ordering};

/// What shells report of a program that was interrupted.
pub(super) const INTERRUPTED: u8 = 130;

/// Nothing is under way that should be finished.
const IDLE: u8 = 0;
/// Something is, and nobody has had enough yet.
const BUSY: u8 = 1;
/// Something is, and somebody has had enough.
const ENOUGH: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(IDLE);

/// Somebody has had enough. What is under way is finished and told about; whoever insists leaves
/// at once.
pub(super) fn interrupted() {
    let busy = STATE.compare_exchange(BUSY, ENOUGH, Ordering::Relaxed, Ordering::Relaxed);
    if busy.is_err() {
        leave();
    }
}

/// Leaves at once: nothing is half done, since only whole requests change anything.
#[allow(
    clippy::exit,
    clippy::disallowed_methods,
    reason = "whoever interrupts does not want to wait for anything"
)]
fn leave() {
    super::top::terminal::restore();
    std::process::exit(i32::from(INTERRUPTED));
}

/// A time during which an interruption waits until it is asked about.
pub(super) struct Busy(());

impl Busy {
    pub(super) fn begin() -> Self {
        STATE.store(BUSY, Ordering::Relaxed);
        Busy(())
    }

    /// Whether somebody has had enough.
    pub(super) fn is_interrupted(&self) -> bool {
        let Busy(()) = self;
        STATE.load(Ordering::Relaxed) == ENOUGH
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        STATE.store(IDLE, Ordering::Relaxed);
    }
}
