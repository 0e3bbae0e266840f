//! Signals that end the process, and their effect on running requests.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Once;
use std::task::Poll;
use std::time::Duration;

use tokio::runtime::Handle;
#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::process;

/// A running request has this much time left after a signal.
const GRACE: Duration = Duration::from_millis(500);

const INTERRUPTED: u8 = 130;

/// Ends requests and waits when the process receives a signal.
#[derive(Debug)]
pub struct Interruption {
    /// Called for each signal, with the exit code that shells report for it. It may end the process.
    on_signal: fn(u8),
    end: watch::Sender<Option<Instant>>,
}

impl Interruption {
    /// `on_signal` is called for each signal, with the exit code that shells report for it; if it
    /// returns, running requests are canceled after a grace period.
    pub fn new(on_signal: fn(u8)) -> Self {
        Interruption {
            on_signal,
            end: watch::Sender::new(None),
        }
    }

    pub fn forget(&self) {
        self.end.send_replace(None);
    }

    pub(super) fn is_over(&self) -> bool {
        self.end.borrow().is_some_and(|end| end <= Instant::now())
    }

    /// The output of the future; `None` if requests are canceled first.
    pub(super) async fn unless_over<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let mut over = pin!(self.over());
        let mut future = pin!(future);
        poll_fn(|context| {
            if over.as_mut().poll(context).is_ready() {
                return Poll::Ready(None);
            }
            future.as_mut().poll(context).map(Some)
        })
        .await
    }

    async fn over(&self) {
        let end = self.signal().await;
        sleep_until(end).await;
    }

    /// Waits for a signal. Returns when running requests are canceled.
    pub(super) async fn signal(&self) -> Instant {
        let mut ends = self.end.subscribe();
        loop {
            let end = *ends.borrow_and_update();
            match end {
                Some(end) => return end,
                // The sender lives as long as `self`.
                None => drop(ends.changed().await),
            }
        }
    }

    /// Listens to Ctrl-C from now on.
    pub fn listen_to_ctrl_c(&'static self, runtime: &Handle) {
        let _guard = runtime.enter();
        #[cfg(unix)]
        self.listen_to(SignalKind::interrupt(), INTERRUPTED);
        #[cfg(not(unix))]
        runtime.spawn(async {
            while tokio::signal::ctrl_c().await.is_ok() {
                self.signalled(INTERRUPTED);
            }
        });
    }

    /// Listens to SIGTERM and SIGHUP, too, where they exist.
    pub fn listen_to_all(&'static self, runtime: &Handle) {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let _guard = runtime.enter();
            #[cfg(unix)]
            self.listen_as_unix();
            #[cfg(not(unix))]
            let _ = self;
        });
    }

    #[cfg(unix)]
    fn listen_as_unix(&'static self) {
        let mut kinds = vec![(SignalKind::terminate(), 143)];
        if !ignores_hangup() {
            kinds.push((SignalKind::hangup(), 129));
        }
        for (kind, code) in kinds {
            self.listen_to(kind, code);
        }
    }

    /// Without a listener the signal ends the process.
    #[cfg(unix)]
    fn listen_to(&'static self, kind: SignalKind, code: u8) {
        if let Ok(mut signals) = signal(kind) {
            tokio::spawn(async move {
                while signals.recv().await.is_some() {
                    self.signalled(code);
                }
            });
        }
    }

    fn signalled(&self, code: u8) {
        process::terminate(|| (self.on_signal)(code));
        let end = Instant::now() + GRACE;
        self.end.send_modify(|before| {
            before.get_or_insert(end);
        });
    }
}

/// Whether SIGHUP is ignored, as with `nohup`. Only known on Linux; elsewhere SIGHUP keeps its
/// effect.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_none_or(|mask| mask & 1 != 0)
}
