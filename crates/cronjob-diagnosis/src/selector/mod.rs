//! kubectl's selectors: which objects are meant, by their labels or by their fields.
//!
//! The API server reads them for a live cluster; for files this module does. A [`LabelSelector`]
//! and a [`FieldSelector`] are read as the server reads them, so that the same call chooses the
//! same `CronJob`s from a cluster and from a snapshot of it. Errors name the position.

mod error;
mod fields;
mod labels;

pub use error::SelectorError;
pub use fields::FieldSelector;
pub use labels::LabelSelector;
