//! What the verbs share that change a cluster: whom it is about, whether one may, whether one
//! wants to, the change itself, and what is told of it.

mod attempt;
mod made;
mod making;
mod one;
mod question;
mod report;
mod rights;
mod round;
mod state;
mod step;
mod targets;

pub(super) use attempt::{Refusal, Sender};
pub(super) use made::as_job;
pub(super) use making::unmade;
pub(super) use question::{ask, can_ask, confirm};
pub(super) use report::full_name;
pub(super) use rights::{deed_in_namespace, deed_on_status, ensure, may};
pub(super) use round::{Planned, Round};
pub(super) use state::{SavedState, State, read_state};
pub(super) use step::Step;
pub(super) use targets::{Named, load_named, load_targets};
