//! Calls as a person types them, and what is asserted about all that one printed.

use serde_json::Value;

use super::folder::Folder;
use super::run::{self, Ran};

/// The arguments of a call: a text that is split as a shell splits it, single arguments, or some of each.
pub(crate) trait CommandLine: Send + Sync {
    fn arguments(&self) -> Vec<String>;
}

impl<T: CommandLine + ?Sized> CommandLine for &T {
    fn arguments(&self) -> Vec<String> {
        (**self).arguments()
    }
}

impl CommandLine for str {
    fn arguments(&self) -> Vec<String> {
        shlex::split(self).unwrap()
    }
}

impl CommandLine for String {
    fn arguments(&self) -> Vec<String> {
        self.as_str().arguments()
    }
}

impl<T: AsRef<str> + Send + Sync> CommandLine for [T] {
    fn arguments(&self) -> Vec<String> {
        self.iter().map(|one| one.as_ref().to_owned()).collect()
    }
}

impl<T: AsRef<str> + Send + Sync> CommandLine for Vec<T> {
    fn arguments(&self) -> Vec<String> {
        self.as_slice().arguments()
    }
}

impl<T: AsRef<str> + Send + Sync, const N: usize> CommandLine for [T; N] {
    fn arguments(&self) -> Vec<String> {
        self.as_slice().arguments()
    }
}

impl<A: CommandLine, B: CommandLine> CommandLine for (A, B) {
    fn arguments(&self) -> Vec<String> {
        [self.0.arguments(), self.1.arguments()].concat()
    }
}

impl<A: CommandLine, B: CommandLine, C: CommandLine> CommandLine for (A, B, C) {
    fn arguments(&self) -> Vec<String> {
        [self.0.arguments(), self.1.arguments(), self.2.arguments()].concat()
    }
}

/// Calls `kubectl cronjob-doctor` in the project's folder.
pub(crate) fn doctor(line: impl CommandLine) -> Ran {
    with_words(line, run::doctor)
}

/// The same in another folder, whose path the outputs then do not contain.
pub(crate) fn doctor_in(folder: &Folder, line: impl CommandLine) -> Ran {
    with_words(line, |words| run::doctor_in(folder, words))
}

/// The same in the project's folder, with something to read.
pub(crate) fn doctor_with_stdin(line: impl CommandLine, stdin: &str) -> Ran {
    with_words(line, |words| run::doctor_with_stdin(words, stdin))
}

fn with_words(line: impl CommandLine, call: impl FnOnce(&[&str]) -> Ran) -> Ran {
    let words = line.arguments();
    call(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

impl Ran {
    /// Asserts the exit code and all output.
    #[track_caller]
    pub(crate) fn assert(&self, code: i32, stdout: &str, stderr: &str) {
        let ran = (self.code, self.stdout.as_str(), self.stderr.as_str());
        assert_eq!(ran, (code, stdout, stderr));
    }

    /// The document of a call that went well and had nothing to complain about.
    #[track_caller]
    pub(crate) fn document(self) -> Value {
        self.assert(0, &self.stdout, "");
        self.json()
    }

    /// The document on stdout.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self}"))
    }
}

/// Asserts that a text contains a part, and shows the text where it does not.
macro_rules! assert_contains {
    ($text:expr, $part:expr $(,)?) => {{
        let text = &$text;
        assert!(text.contains($part), "{text}");
    }};
}

/// Asserts that a text does not contain a part.
macro_rules! assert_lacks {
    ($text:expr, $part:expr $(,)?) => {{
        let text = &$text;
        assert!(!text.contains($part), "{text}");
    }};
}

/// Asserts that a text starts with a part.
macro_rules! assert_starts {
    ($text:expr, $part:expr $(,)?) => {{
        let text = &$text;
        assert!(text.starts_with($part), "{text}");
    }};
}

/// A table of tests that make one call each: a name, what comes before the call, the call, and after an arrow its
/// exit code, what it wrote to stdout, where that matters, and after another arrow what holds then. All output is
/// compared with a snapshot. `(server)` starts the server of the file.
macro_rules! calls {
    ($(
        $(#[$doc:meta])*
        $name:ident $(($server:ident))? { $($before:tt)* }
        $ran:expr => $code:literal $(, $stdout:expr)? $(=> $holds:expr)?;
    )*) => {$(
        $(#[$doc])*
        #[test]
        fn $name() {
            $(let $server = server();)?
            $($before)*
            let ran = $ran;
            assert_ran!(ran, $code $(, $stdout)?);
            $(assert!($holds);)?
        }
    )*};
}
