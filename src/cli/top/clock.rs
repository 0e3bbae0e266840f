//! The server's clock, asked again.

use std::sync::Arc;
use std::thread;

use tokio::sync::mpsc::UnboundedSender;

use super::message::Message;
use crate::cluster::Session;

/// Asks the server for the time. Where it does not tell, the clock goes on as it did.
pub(super) fn ask(session: &Arc<Session>, sender: &UnboundedSender<Message>) {
    let (session, sender) = (Arc::clone(session), sender.clone());
    thread::spawn(move || {
        if let Some(date) = session.version().ok().and_then(|version| version.date) {
            // If the dashboard is gone there is no one to tell.
            let _ = sender.send(Message::Date(date));
        }
    });
}
