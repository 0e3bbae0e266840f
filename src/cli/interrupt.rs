//! The end that a user asks for.

/// What shells report of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// Leaves at once: nothing is half done, since only whole requests change anything.
#[allow(
    clippy::exit,
    clippy::disallowed_methods,
    reason = "whoever interrupts does not want to wait for anything"
)]
pub(super) fn leave() {
    std::process::exit(INTERRUPTED);
}
