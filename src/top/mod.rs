//! A dashboard as a state: what is shown, what a key does to it, and what is to be done because of
//! that.
//!
//! [`App`] takes keys, changes of the cluster and the time, and says in [`Effect`]s what the edge has
//! to do. It knows no terminal, no network and no clock; how it looks is a matter of
//! [`crate::output::top`].

mod app;
mod dialog;
mod keys;
mod layout;
mod list;
mod styled_text;
mod timeline;

pub use app::{About, App, Page};
pub(crate) use dialog::{Dialog, DialogStage};
pub use keys::{Effect, Key};
pub(crate) use keys::{KEYS, Operation};
pub use layout::Size;
pub(crate) use list::Widths;
pub(crate) use styled_text::{Line, StyledText, TextColor, TextStyle};

/// Namespace and name.
pub(crate) type ObjectKey = (String, String);
