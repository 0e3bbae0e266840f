//! What is said on stderr: a line, and what belongs below it.

use std::io::{self, Write};
use std::ops::Range;

use crate::cluster;
use crate::output::caret::underline;
use crate::output::style::{Meaning, styled};
use crate::printable::{printable, shortened};

/// A line, and the lines below it. What comes from files and clusters stays within its line, whatever it
/// contains.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{line}")]
pub(super) struct Notice {
    line: String,
    below: Vec<String>,
}

impl Notice {
    pub(super) fn new(line: impl Into<String>) -> Self {
        Notice {
            line: line.into(),
            below: Vec::new(),
        }
    }

    /// An error with its causes.
    pub(super) fn of(error: &anyhow::Error) -> Self {
        let notice = Notice::new(format!("{error:#}"));
        error.chain().fold(notice, Notice::below)
    }

    /// With lines that are indented.
    pub(super) fn listing(mut self, lines: &[String]) -> Self {
        let lines = lines.iter().map(|line| format!("  {}", shown(line)));
        self.below.extend(lines);
        self
    }

    /// With a text of which a part is wrong.
    pub(super) fn excerpt(mut self, text: &str, wrong: Range<usize>) -> Self {
        self.below.push(underline(text, wrong));
        self
    }

    /// With what to try instead.
    pub(super) fn help(mut self, text: &str) -> Self {
        let help = format!("{}: {}", styled(Meaning::Help, "help"), shown(text));
        self.below.push(help);
        self
    }

    pub(super) fn write(&self, out: &mut dyn Write, label: &str) -> io::Result<()> {
        writeln!(out, "{label}{}", shown(&self.line))?;
        self.below
            .iter()
            .try_for_each(|line| writeln!(out, "{line}"))
    }

    /// Takes over what an error has to say below its line.
    fn below(mut self, error: &(dyn std::error::Error + 'static)) -> Self {
        if let Some(notice) = error.downcast_ref::<Notice>() {
            self.below.extend_from_slice(&notice.below);
        }
        match error.downcast_ref() {
            Some(
                cluster::Error::NoCluster { tried } | cluster::Error::NoKubeconfig { tried, .. },
            ) => self.listing(tried).help("name one with --kubeconfig"),
            Some(cluster::Error::Credentials {
                hint: Some(hint), ..
            }) => {
                let mut lines = hint.lines().map(str::to_owned);
                let first = lines.next().unwrap_or_default();
                self.help(&first).listing(&lines.collect::<Vec<_>>())
            }
            Some(error) if error.is_forbidden() => self.with_way_out(error),
            _ => self,
        }
    }

    fn with_way_out(self, error: &cluster::Error) -> Self {
        let message = error.status().map_or("", |status| &status.message);
        if message.contains(" cannot list ") && message.contains(" at the cluster scope") {
            self.help("-n NAMESPACE asks about one namespace alone")
        } else {
            self
        }
    }
}

/// A line without anything that would end it. Nobody reads more of it than that.
fn shown(line: &str) -> String {
    const LONGEST: usize = 4_000;
    shortened(&printable(line), LONGEST)
}

impl From<&str> for Notice {
    fn from(line: &str) -> Self {
        Notice::new(line)
    }
}

impl From<&String> for Notice {
    fn from(line: &String) -> Self {
        Notice::new(line)
    }
}
