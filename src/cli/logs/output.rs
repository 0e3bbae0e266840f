//! Writes logs to stdout as they are, and the lines between them to stderr.

use std::io::{self, BufWriter, IsTerminal as _, Write};

use anstream::{AutoStream, ColorChoice};

use crate::cli::stdio;
use crate::output::logs;

#[derive(Clone, Debug)]
pub(super) struct PrintedLog {
    pub(super) number: usize,
    pub(super) prefix: String,
}

/// The streams that logs and the lines between them are written to.
pub(super) struct LogOutput {
    out: BufWriter<io::Stdout>,
    is_terminal: bool,
    pub(super) is_quiet: bool,
    pub(super) is_colored: bool,
    /// The log whose last line has not ended.
    unfinished: Option<usize>,
}

impl LogOutput {
    pub(super) fn new(is_quiet: bool) -> Self {
        let stdout = io::stdout();
        LogOutput {
            is_terminal: stdout.is_terminal(),
            is_colored: AutoStream::choice(&stdout) != ColorChoice::Never,
            out: BufWriter::new(stdout),
            is_quiet,
            unfinished: None,
        }
    }

    /// Writes a piece of a log. A line of another log ends first.
    pub(super) fn write(&mut self, log: &PrintedLog, text: &[u8]) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        if self.unfinished.is_some_and(|other| other != log.number) {
            self.end_line()?;
        }
        if log.prefix.is_empty() {
            self.out.write_all(text)?;
        } else {
            let mut begins = self.unfinished.is_none();
            for line in text.split_inclusive(|byte| *byte == b'\n') {
                if begins {
                    self.out.write_all(log.prefix.as_bytes())?;
                }
                self.out.write_all(line)?;
                begins = true;
            }
        }
        self.unfinished = (!text.ends_with(b"\n")).then_some(log.number);
        self.out.flush()
    }

    fn end_line(&mut self) -> io::Result<()> {
        self.unfinished = None;
        self.out.write_all(b"\n")
    }

    /// Ends the line on a terminal, so that something else can be written there.
    pub(super) fn pause(&mut self) -> io::Result<()> {
        if self.is_terminal && self.unfinished.is_some() {
            self.end_line()?;
        }
        self.out.flush()
    }

    pub(super) fn note(&mut self, text: &str) -> io::Result<()> {
        self.pause()?;
        if !self.is_quiet {
            // An error of a closed stderr changes nothing.
            let _ = writeln!(stdio::stderr(), "{}", logs::between(text));
        }
        Ok(())
    }
}
