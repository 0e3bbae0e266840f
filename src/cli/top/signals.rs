//! Signals that end the dashboard, or stop it: the terminal is given back first.

use tokio::sync::mpsc::UnboundedSender;

use super::message::Message;

/// Passes signals on. An interruption has its own way: [`crate::cli::interrupt`].
#[cfg(unix)]
pub(super) fn listen(sender: &UnboundedSender<Message>) -> anyhow::Result<()> {
    use anyhow::Context as _;
    use rustix::process::Signal;
    use tokio::runtime::Builder;
    use tokio::signal::unix::{SignalKind, signal};

    /// What shells add to the number of a signal that ended a program.
    const ENDED: i32 = 128;

    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("cannot listen to signals")?;
    for ending in [Signal::TERM, Signal::HUP, Signal::QUIT, Signal::TSTP] {
        let number = ending.as_raw();
        let _guard = runtime.enter();
        let mut signals =
            signal(SignalKind::from_raw(number)).context("cannot listen to signals")?;
        let sender = sender.clone();
        runtime.spawn(async move {
            while signals.recv().await.is_some() {
                let message = if ending == Signal::TSTP {
                    Message::Stop
                } else {
                    Message::End(u8::try_from(ENDED + number).unwrap_or(u8::MAX))
                };
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
    }
    std::thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
    Ok(())
}

/// There are none.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "where there are some it can fail")]
pub(super) fn listen(_: &UnboundedSender<Message>) -> anyhow::Result<()> {
    Ok(())
}
