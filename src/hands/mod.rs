//! What a change would lead to, and the objects that it sends.
//!
//! Pure, as everything is that predicts: the edges bring the evidence, the moment and whatever is
//! random, and send what comes out.

mod container;
mod course;
mod env;
mod job;
mod names;
mod overrides;
mod trigger;

pub use container::{Choice, NoContainer, Why, choose};
pub use course::{Course, Ending, Happening};
pub use env::EnvChange;
pub use job::{Making, Unmakeable, is_suspended, make};
pub use names::{manual_name, suffix};
pub use overrides::{OverrideError, Overrides};
pub use trigger::{After, Meeting, NextRun, Prospect, Refusal, foresee, refusal};
