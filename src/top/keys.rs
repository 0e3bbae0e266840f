//! The keys, and what they may lead to.

use super::ObjectKey;

/// A key, as far as one means anything here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those on the keys")]
pub enum Key {
    Char(char),
    Ctrl(char),
    Enter,
    Esc,
    Backspace,
    Tab,
    BackTab,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
}

/// What is done to a `CronJob`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// It is suspended.
    Suspend,
    /// It is resumed.
    Resume,
    /// A Job of it is started.
    Trigger,
}

impl Operation {
    /// The verb of the command line that does the same.
    pub fn verb(self) -> &'static str {
        match self {
            Operation::Suspend => "suspend",
            Operation::Resume => "resume",
            Operation::Trigger => "trigger",
        }
    }
}

/// What the edge has to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Leave the dashboard.
    Leave,
    /// Give the terminal back until the user comes again, as ctrl-z does.
    Stop,
    /// Paint everything anew.
    Repaint,
    /// Begin a change, which tells and asks.
    Begin(Operation, ObjectKey),
    /// Hear no more of the change on its way: nobody has agreed to it.
    Forget,
    /// Hand on the number of the answer to what was asked; nothing if there will be none.
    Answer(Option<usize>),
}

/// All keys, as the help and the documents show them.
pub(crate) const KEYS: [(&str, &str); 20] = [
    ("j k, arrows", "move down and up"),
    ("g G, home end", "go to the first and the last row"),
    ("ctrl-d ctrl-u, page keys", "page down and up"),
    ("enter, e, d", "explain the selected CronJob"),
    ("s", "suspend it, or resume it if it is suspended"),
    ("t", "trigger it: create a Job now"),
    ("/", "filter: part of a name, !error, !finding, !suspended"),
    ("!", "show only warnings and errors, or all again"),
    ("esc", "go back; in the list, clear the filter"),
    ("v", "switch between table and timeline"),
    ("+ -", "zoom the timeline in and out"),
    ("H", "sort by health; press again to reverse the order"),
    ("N", "sort by namespace and name"),
    ("X", "sort by next run"),
    ("L", "sort by last run"),
    ("M", "sort by number of missed runs"),
    ("A", "sort by number of active Jobs"),
    (
        "ctrl-l, ctrl-z",
        "redraw; suspend the program (fg to return)",
    ),
    ("?", "show this help"),
    ("q, ctrl-c", "quit; q on a page goes back"),
];

/// The keys as a text.
pub(super) fn help() -> String {
    let line = |(keys, what)| format!(" {keys:<26}{what}\n");
    KEYS.into_iter().map(line).collect()
}
