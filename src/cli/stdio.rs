//! Writes results, messages and progress to the terminal, or to a dashboard that owns it.
//!
//! While a dashboard runs, it captures what any thread writes. A change runs in its own thread, whose
//! questions and answers go through a [`Frontend`].

use std::cell::RefCell;
use std::env;
use std::io::{self, BufWriter, IsTerminal as _, Write};
#[cfg(unix)]
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle, LocalKey};
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use anyhow::Context as _;

use super::diagnostic::Diagnostic;
use crate::output::filtered::Filtered;
use crate::output::style::{Meaning, styled};
use crate::output::{Answer, Format};
use cronjob_text::printable::printable;

/// Lets a write fail that would make a file larger than `ulimit -f` allows: the signal would end the process without a word.
#[cfg(unix)]
pub(super) fn report_large_files() {
    let ignored = Arc::default();
    // If that fails, the signal ends the process.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, ignored);
}

/// Shows texts and asks questions while a dashboard owns the terminal.
pub(super) trait Frontend {
    /// Shows a text. It may have several lines, and escape sequences for colors.
    fn show(&self, text: &str);
    /// Asks, and returns the number of the answer; `None` if it was canceled.
    #[cfg(feature = "cluster")]
    fn ask(&self, question: &str, answers: &[&str]) -> Option<usize>;
}

pub(super) type Listener = Box<dyn Fn(&str) + Send>;

/// Receives what threads without a frontend write.
pub(super) static LISTENER: Mutex<Option<Listener>> = Mutex::new(None);

thread_local! {
    pub(super) static FRONTEND: RefCell<Option<Box<dyn Frontend>>> = const { RefCell::new(None) };
}

thread_local! {
    static CONTEXT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `act`, whose messages name a context, if there is one.
pub(super) fn naming<T>(context: Option<&str>, act: impl FnOnce() -> T) -> T {
    with_value(&CONTEXT, context.map(str::to_owned), act)
}

/// Runs `act` with a value of this thread, and restores the one before.
pub(super) fn with_value<V, T>(
    key: &'static LocalKey<RefCell<V>>,
    value: V,
    act: impl FnOnce() -> T,
) -> T {
    let outer = key.replace(value);
    let result = act();
    key.set(outer);
    result
}

/// Whether this thread has a frontend.
pub(super) fn has_frontend() -> bool {
    FRONTEND.with_borrow(Option::is_some)
}

pub(super) fn stdout() -> Box<dyn Write> {
    let colors = AutoStream::choice(&io::stdout());
    captured().unwrap_or_else(|| match colors {
        ColorChoice::Never => Box::new(Filtered::new(io::stdout().lock(), colors)),
        _ => Box::new(Filtered::new(unfiltered_stdout(), colors)),
    })
}

/// The writer for workflow commands of a CI system.
#[expect(clippy::disallowed_methods, reason = "the one place")]
pub(super) fn unfiltered_stdout() -> impl Write {
    anstream::stdout().lock()
}

/// The writer for prompts, warnings and errors.
#[expect(clippy::disallowed_methods, reason = "the one place")]
pub(super) fn stderr() -> Box<dyn Write> {
    erase();
    captured().unwrap_or_else(|| {
        Box::new(Filtered::new(
            anstream::stderr().lock(),
            ColorChoice::Always,
        ))
    })
}

fn captured() -> Option<Box<dyn Write>> {
    let listener = LISTENER.lock().unwrap_or_else(PoisonError::into_inner);
    let is_captured = has_frontend() || listener.is_some();
    is_captured.then(|| {
        Box::new(Filtered::new(Captured::default(), ColorChoice::Always)) as Box<dyn Write>
    })
}

#[derive(Default)]
struct Captured(Vec<u8>);

impl Captured {
    fn pass_on(&mut self) {
        let bytes = std::mem::take(&mut self.0);
        let text = String::from_utf8_lossy(&bytes);
        if text.is_empty() {
            return;
        }
        let shown = FRONTEND.with_borrow(|frontend| {
            frontend
                .as_ref()
                .map(|frontend| frontend.show(&text))
                .is_some()
        });
        if shown {
            return;
        }
        let listener = LISTENER.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listener) = listener.as_ref() {
            listener(&text);
        }
    }
}

impl Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_on();
        Ok(())
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        self.pass_on();
    }
}

/// Progress is shown after this time.
const PATIENCE: Duration = Duration::from_secs(1);
const PERIOD: Duration = Duration::from_millis(200);

/// A progress line on stderr, while it exists.
pub(super) struct Meter {
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Meter {
    /// Starts the progress line if stderr is a terminal.
    pub(super) fn start(wanted: bool, line: impl Fn() -> String + Send + 'static) -> Self {
        if !wanted || is_quiet() || !io::stderr().is_terminal() {
            return Meter { running: None };
        }
        let (stop, stopped) = channel::<()>();
        let thread = thread::spawn(move || {
            let mut wait = PATIENCE;
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                repaint(&line());
                wait = PERIOD;
            }
            erase();
        });
        Meter {
            running: Some((stop, thread)),
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.running.take() {
            drop(stop);
            // The line must be erased before anything else is written.
            let _ = thread.join();
        }
    }
}

/// Whether a progress line is shown.
static LINE: Mutex<bool> = Mutex::new(false);

/// Erases the progress line, if there is one.
fn erase() {
    if *LINE.lock().unwrap_or_else(PoisonError::into_inner) {
        repaint("");
    }
}

/// Replaces the progress line, which has no untrusted text.
#[expect(
    clippy::disallowed_methods,
    reason = "the filter lets no carriage return pass"
)]
fn repaint(line: &str) {
    let mut is_shown = LINE.lock().unwrap_or_else(PoisonError::into_inner);
    *is_shown = !line.is_empty();
    // A closed stderr cannot be reported.
    let _ = write!(anstream::stderr(), "\r\x1b[K{line}");
}

pub(super) fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    print_to(stdout(), write)
}

/// Prints an answer in one of its formats, or in the default one.
pub(super) fn print_answer(format: Option<Format>, answer: &impl Answer) -> anyhow::Result<()> {
    let out: Box<dyn Write> = match format {
        Some(Format::Github) => Box::new(unfiltered_stdout()),
        _ => stdout(),
    };
    print_to(out, |out| answer.write(out, format))
}

fn print_to(
    out: Box<dyn Write>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    let mut out = BufWriter::new(out);
    let written = write(&mut out).and_then(|()| out.flush());
    unless_closed(written).context("cannot write the result")
}

/// A reader that closes the pipe, as `head` does, has read what it wanted: the verdict stays the same.
pub(super) fn unless_closed(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes an error to stderr as kubectl does.
pub(super) fn complain(notice: impl Into<Diagnostic>) {
    say(Meaning::Bad, "error", &notice.into());
}

pub(super) fn warn(notice: impl Into<Diagnostic>) {
    say(Meaning::Odd, "warning", &notice.into());
}

/// Whether `--quiet` suppresses hints and most warnings.
static QUIET: AtomicBool = AtomicBool::new(false);

pub(super) fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

pub(super) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Writes a warning to stderr, unless `--quiet` suppresses it.
pub(super) fn caution(notice: impl Into<Diagnostic>) {
    if !is_quiet() {
        warn(notice);
    }
}

/// Writes a hint or progress to stderr, unless `--quiet` suppresses it.
pub(super) fn hint(line: &str) {
    if !is_quiet() {
        say_plainly(line);
    }
}

pub(super) fn say_plainly(line: &str) {
    // A closed stderr cannot be reported.
    let _ = Diagnostic::new(line).write(&mut stderr(), &context());
}

/// What messages of this thread begin with.
pub(super) fn context() -> String {
    let context = CONTEXT.with_borrow(Clone::clone);
    context.map_or_else(String::new, |name| {
        format!("context {}: ", printable(&name))
    })
}

fn say(meaning: Meaning, label: &str, notice: &Diagnostic) {
    let label = format!("{}: {}", styled(meaning, label), context());
    // A closed stderr cannot be reported.
    let _ = notice.write(&mut stderr(), &label);
}

/// The default size of a terminal.
const USUAL: (usize, usize) = (80, 24);

/// How wide the terminal is, if the result goes to one.
pub(super) fn width() -> Option<usize> {
    io::stdout().is_terminal().then(|| terminal_size().0)
}

/// How wide lines may be: as wide as the terminal, or as `COLUMNS` says where there is none.
pub(super) fn line_width() -> Option<usize> {
    let is_terminal = io::stdout().is_terminal();
    let terminal = ::terminal_size::terminal_size().filter(|_| is_terminal);
    let given = || env::var("COLUMNS").ok()?.parse().ok();
    let width = terminal.map(|(width, _)| usize::from(width.0));
    width.or_else(given).filter(|width| *width > 0)
}

/// Columns and lines of the terminal.
pub(super) fn terminal_size() -> (usize, usize) {
    ::terminal_size::terminal_size().map_or(USUAL, |(width, height)| {
        (usize::from(width.0), usize::from(height.0))
    })
}
