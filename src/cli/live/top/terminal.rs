//! The terminal, which is always restored when the dashboard ends.

use std::io::{self, Stdout};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};

use crate::top::Size;

/// Whether the dashboard uses the terminal.
static IN_USE: AtomicBool = AtomicBool::new(false);

pub(super) struct Terminal(ratatui::Terminal<CrosstermBackend<Stdout>>);

impl Terminal {
    pub(super) fn enter() -> anyhow::Result<Self> {
        restore_on_panic();
        set_up().context("cannot set up the terminal")?;
        Ok(Terminal(new_terminal()?))
    }

    pub(super) fn size(&self) -> anyhow::Result<Size> {
        let size = self
            .0
            .size()
            .context("cannot read the size of the terminal")?;
        Ok(Size {
            width: size.width,
            height: size.height,
        })
    }

    /// Writes the cells that changed since the last draw, unless the terminal has been restored: a draw hides the cursor.
    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Buffer)) -> anyhow::Result<()> {
        // Held against restore() in another thread.
        let _screen = io::stdout().lock();
        if !IN_USE.load(Ordering::SeqCst) {
            return Ok(());
        }
        let drawn = self.0.draw(|frame| draw(frame.buffer_mut()));
        drawn.context("cannot write to the terminal")?;
        Ok(())
    }

    /// Makes the next draw write all cells.
    pub(super) fn redraw_all(&mut self) -> anyhow::Result<()> {
        execute!(io::stdout(), Clear(ClearType::All)).context("cannot write to the terminal")?;
        // ratatui's own clear() asks the terminal for the cursor position, and the answer arrives as keys.
        self.0 = new_terminal()?;
        Ok(())
    }

    /// Restores the terminal until the process is continued, for ctrl-z.
    pub(super) fn stop(&mut self) -> anyhow::Result<()> {
        restore();
        stop_process();
        set_up().context("cannot set up the terminal again")?;
        self.redraw_all()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

fn new_terminal() -> anyhow::Result<ratatui::Terminal<CrosstermBackend<Stdout>>> {
    let terminal = ratatui::Terminal::new(CrosstermBackend::new(io::stdout()));
    terminal.context("cannot use the terminal")
}

fn set_up() -> io::Result<()> {
    IN_USE.store(true, Ordering::SeqCst);
    enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen, Hide)
}

/// Restores the terminal if the dashboard uses it. An error means that it was closed, and is ignored.
pub(crate) fn restore() {
    // Another command may hold the lock while it waits.
    if !IN_USE.load(Ordering::SeqCst) {
        return;
    }
    // Reentrant, for a panic during a draw.
    let _screen = io::stdout().lock();
    if IN_USE.swap(false, Ordering::SeqCst) {
        // After a resize, tmux keeps lines of a screen that is not empty.
        let clear = Clear(ClearType::All);
        let _ = execute!(io::stdout(), clear, LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}

/// Restores the terminal before a panic message is printed. Release builds abort on panic, so that destructors do not
/// run.
fn restore_on_panic() {
    static HOOKED: Once = Once::new();
    HOOKED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            restore();
            before(info);
        }));
    });
}

#[cfg(unix)]
fn stop_process() {
    use rustix::process::{Signal, getpid, kill_process};
    // If the process cannot be stopped, it continues.
    let _ = kill_process(getpid(), Signal::STOP);
}

#[cfg(not(unix))]
fn stop_process() {}
