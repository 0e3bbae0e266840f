//! Very many objects that take next to no memory: prototypes with holes, filled when asked for.

mod herd;
mod prototype;

use std::sync::Arc;

use serde_json::Value;

pub(crate) use herd::populate;
use prototype::{Filling, Prototype};

/// One object of a herd.
pub(crate) struct Made {
    prototype: Arc<Prototype>,
    /// Which `CronJob` it is, or belongs to.
    number: usize,
    /// Which of its Jobs it is.
    run: Option<usize>,
    /// The resource version, and the last part of the uid.
    serial: usize,
}

impl Made {
    /// The whole object, as any other is stored.
    pub(crate) fn value(&self) -> Value {
        let parsed: Value = serde_json::from_slice(&self.json()).unwrap();
        self.prototype.typed(parsed)
    }

    /// Its JSON, as an item of a list.
    pub(crate) fn json(&self) -> Vec<u8> {
        self.prototype.json.filled(&self.filling())
    }

    /// Its message.
    pub(crate) fn protobuf(&self) -> Vec<u8> {
        self.prototype.protobuf.filled(&self.filling())
    }

    pub(crate) fn protobuf_length(&self) -> usize {
        self.prototype.protobuf.length()
    }

    fn filling(&self) -> Filling {
        herd::filling(self.number, self.run, self.serial)
    }
}
