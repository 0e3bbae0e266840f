//! Events of the dashboard other than watch events: keys, signals, the API server's time, and results of threads.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;

use jiff::Timestamp;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, read};
use tokio::sync::mpsc::UnboundedSender;

use crate::cli::live::unwatched::Unwatched;
use crate::top::Key;
use kube_access::{ClusterError, Session};
use kube_model::{CronJobEvidence, ObjectKey};

pub(super) enum DashboardEvent {
    Key(Key),
    Resized,
    TerminalClosed,
    /// A signal ends the program, with this exit code.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no such signals"))]
    End(u8),
    /// A signal stops the program until it is continued.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no such signals"))]
    Stop,
    Stderr(String),
    /// From the thread of the change with this number.
    Change(usize, ChangeEvent),
    Date(Timestamp),
    /// What is not watched.
    Unwatched(Box<Result<Unwatched, ClusterError>>),
    /// The evidence that was read for an explanation.
    Read(ObjectKey, Box<Option<CronJobEvidence>>),
    /// The logs of the newest Job of a CronJob.
    Logs(ObjectKey, String),
}

pub(super) enum ChangeEvent {
    Text(String),
    Question {
        question: String,
        answers: Vec<String>,
        reply: Sender<Option<usize>>,
    },
    Finished(bool),
}

/// Sends keys until the terminal is closed. The thread ends with the process, because only a key wakes it.
pub(super) fn listen_to_keys(sender: &UnboundedSender<DashboardEvent>) {
    let sender = sender.clone();
    thread::spawn(move || {
        loop {
            let event = match read() {
                Ok(Event::Key(pressed)) => key(pressed).map(DashboardEvent::Key),
                Ok(Event::Resize(..)) => Some(DashboardEvent::Resized),
                Ok(_) => None,
                Err(_) => Some(DashboardEvent::TerminalClosed),
            };
            let is_closed = matches!(event, Some(DashboardEvent::TerminalClosed));
            if let Some(event) = event
                && (sender.send(event).is_err() || is_closed)
            {
                return;
            }
        }
    });
}

fn key(event: KeyEvent) -> Option<Key> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let with = |modifier| event.modifiers.contains(modifier);
    Some(match event.code {
        KeyCode::Char(letter) if with(KeyModifiers::CONTROL) => {
            Key::Ctrl(letter.to_ascii_lowercase())
        }
        KeyCode::Char(_) if with(KeyModifiers::ALT) => return None,
        KeyCode::Char(letter) => Key::Char(letter),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Esc,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => Key::BackTab,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        _ => return None,
    })
}

/// Sends signals that end or stop the program. For Ctrl-C see [`crate::cli::interrupt`].
#[cfg(unix)]
pub(super) fn listen_to_signals(sender: &UnboundedSender<DashboardEvent>) -> anyhow::Result<()> {
    use anyhow::Context as _;
    use rustix::process::Signal;
    use tokio::runtime::Builder;
    use tokio::signal::unix::{SignalKind, signal};

    /// Shells add this to the number of a signal that ended a program.
    const ENDED: i32 = 128;

    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("cannot listen for signals")?;
    for ending in [Signal::TERM, Signal::HUP, Signal::QUIT, Signal::TSTP] {
        let number = ending.as_raw();
        let _guard = runtime.enter();
        let mut signals =
            signal(SignalKind::from_raw(number)).context("cannot listen for signals")?;
        let sender = sender.clone();
        runtime.spawn(async move {
            while signals.recv().await.is_some() {
                let event = if ending == Signal::TSTP {
                    DashboardEvent::Stop
                } else {
                    DashboardEvent::End(u8::try_from(ENDED + number).unwrap_or(u8::MAX))
                };
                if sender.send(event).is_err() {
                    return;
                }
            }
        });
    }
    std::thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
    Ok(())
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Unix")]
pub(super) fn listen_to_signals(_: &UnboundedSender<DashboardEvent>) -> anyhow::Result<()> {
    Ok(())
}

pub(super) fn read_clock(session: &Arc<Session>, sender: &UnboundedSender<DashboardEvent>) {
    let (session, sender) = (Arc::clone(session), sender.clone());
    thread::spawn(move || {
        if let Some(date) = session.version().ok().and_then(|version| version.date) {
            // The dashboard may have ended.
            let _ = sender.send(DashboardEvent::Date(date));
        }
    });
}
