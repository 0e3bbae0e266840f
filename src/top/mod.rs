//! The state of the dashboard.
//!
//! [`App`] receives keys, changes of the cluster and the time, and returns an [`Effect`] for what its caller must do.
//! It does not use the terminal, the network or the clock; [`crate::output::top`] draws it.

mod app;
mod dialog;
mod keys;
mod list;
mod styled_text;
mod timeline;

pub use app::{App, DashboardContext, Page, Size};
pub(crate) use dialog::{Dialog, DialogStage, Operation};
pub use keys::{Effect, KEYS, Key};
pub(crate) use list::ColumnWidths;
pub(crate) use styled_text::{Line, StyledText};
