//! The few colours in use, by meaning. The streams drop them where they are not wanted.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

/// What a piece of text means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// As it is.
    Plain,
    /// A heading, or what is asked for.
    Strong,
    /// Less important than the rest.
    Faint,
    /// Something is wrong.
    Bad,
    /// Something deserves a look.
    Odd,
    /// What to do.
    Help,
}

impl Meaning {
    fn style(self) -> Style {
        match self {
            Meaning::Plain => Style::new(),
            Meaning::Strong => Style::new().bold(),
            Meaning::Faint => Style::new().dimmed(),
            Meaning::Bad => AnsiColor::Red.on_default().bold(),
            Meaning::Odd => AnsiColor::Yellow.on_default(),
            Meaning::Help => AnsiColor::Cyan.on_default().bold(),
        }
    }
}

/// Text in the style of its meaning.
pub fn styled(meaning: Meaning, text: impl Display) -> String {
    let style = meaning.style();
    format!("{style}{text}{style:#}")
}
