//! What comes to the dashboard from elsewhere than the cluster.

use std::sync::mpsc::Sender;

use jiff::Timestamp;

use crate::model::CronJobEvidence;
use crate::top::{Key, ObjectKey};

/// What comes to the dashboard from elsewhere than the cluster.
pub(super) enum Message {
    /// A key was pressed.
    Key(Key),
    /// The terminal has another size.
    Resized,
    /// There is no terminal any more.
    Hung,
    /// A signal says that it is to end; what shells report of that.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no such signals"))]
    End(u8),
    /// A signal says that it is to stop until it is called again.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no such signals"))]
    Stop,
    /// Something was said that would have been written to the terminal.
    Said(String),
    /// A change says something; which one it is.
    Change(usize, Word),
    /// The server's clock.
    Date(Timestamp),
    /// What was read for an explanation.
    Read(ObjectKey, Box<Option<CronJobEvidence>>),
}

/// What a change says.
pub(super) enum Word {
    /// Something to read.
    Told(String),
    /// A question.
    Asked {
        question: String,
        answers: Vec<String>,
        reply: Sender<Option<usize>>,
    },
    /// That it is over, and whether it went well.
    Over(bool),
}
