//! What a change would lead to, before it is made: the prediction that each verb shows which
//! changes a cluster, and what it then sends.
//!
//! The answers are those of [`crate::controller::decide`], asked about the `CronJob` as it would
//! be. Nothing here talks to a cluster.

mod ahead;
mod meanwhile;
mod requests;
mod resume;
mod suspend;

pub use ahead::{Ahead, Nothing};
pub use meanwhile::differences;
pub use requests::{Check, Request, merged};
pub use resume::{CatchUp, Resumption, quiet_deadline};
pub use suspend::{Lost, Suspension};
