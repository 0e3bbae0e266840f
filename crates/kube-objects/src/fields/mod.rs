//! Reads API objects into the model.
//!
//! `kinds.rs` lists the fields that are used of each kind, each once: with its JSON name, its protobuf number and its
//! place in the model. A `FieldSource` knows how fields are encoded: in the protobuf of a cluster, or in a
//! document with positions, where each wrong field is an error.

mod error;
mod kinds;
mod protobuf;
mod shared;
mod source;
mod template;
mod timestamp;
mod tree;

pub use error::{FieldError, FieldRemedy};
pub use protobuf::decode;
pub use shared::SharedParts;
pub use source::ObjectKind;
pub use tree::{Step, TreeSource};
