pub mod fields;
pub mod snapshot;
