//! The verbs that change a cluster, through the real binary: what they predict, what they ask, the
//! exact requests that they send, and what they report when a change is refused or fails.

pub(crate) mod cast;
pub(crate) mod prelude;
#[macro_use]
pub(crate) mod terminal;

mod backfill;
mod choosing;
mod conflicts;
mod interrupted;
mod many;
mod once;
mod overriding;
mod reason_window;
mod reasons;
mod resume;
mod retrying;
mod rights;
mod stored;
mod suspend;
mod suspend_wait;
mod trigger;
mod triggered;
mod unwritten;
mod waiting;
