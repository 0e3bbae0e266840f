//! A dashboard as a state: what is shown, what a key does to it, and what is to be done because of
//! that.
//!
//! [`App`] takes keys, changes of the cluster and the time, and says in [`Effect`]s what the edge has
//! to do. It knows no terminal, no network and no clock; how it looks is a matter of
//! [`crate::output::top`].

mod app;
mod filter;
mod keys;
mod list;
mod paper;
mod size;
mod talk;
mod timeline;

pub use app::{About, App, Lost, Page};
pub use filter::Filter;
pub use keys::{Deed, Effect, KEYS, Key};
pub use list::{List, Widths};
pub use paper::{Colour, Ink, Line, Paper, Piece};
pub use size::Size;
pub use talk::{Stage, Talk};
pub use timeline::{Timeline, ZOOMS};

/// Namespace and name.
pub type Place = (String, String);
