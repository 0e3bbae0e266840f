//! Where what is said goes: to the terminal, or to a dashboard that has the terminal for itself.
//!
//! A dashboard hears whatever is said in the meantime, by whichever thread. A change that it makes
//! runs in a thread of its own, whose questions and answers go through a [`Partner`].

use std::cell::RefCell;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use crate::output::filtered::Filtered;

/// Whoever has the terminal, and asks the user in a way of their own.
pub(super) trait Partner {
    /// Something is told. It may be of several lines, with escape sequences for colours.
    fn told(&self, text: &str);
    /// Asks, and returns the number of the answer; nothing if there will be none.
    fn asked(&self, question: &str, answers: &[&str]) -> Option<usize>;
}

type Ear = Box<dyn Fn(&str) + Send>;

/// Who hears what is said by threads that have no partner.
static LISTENER: Mutex<Option<Ear>> = Mutex::new(None);

thread_local! {
    static PARTNER: RefCell<Option<Box<dyn Partner>>> = const { RefCell::new(None) };
}

/// Nothing is written to the terminal as long as this is kept.
pub(super) struct Listening(());

impl Listening {
    /// From now on `ear` hears what would be written.
    pub(super) fn begin(ear: impl Fn(&str) + Send + 'static) -> Self {
        set_listener(Some(Box::new(ear)));
        Listening(())
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        set_listener(None);
    }
}

fn set_listener(ear: Option<Ear>) {
    *LISTENER.lock().unwrap_or_else(PoisonError::into_inner) = ear;
}

/// Does something in this thread, whose questions and results go to the partner.
pub(super) fn talk<T>(partner: impl Partner + 'static, act: impl FnOnce() -> T) -> T {
    PARTNER.set(Some(Box::new(partner)));
    let result = act();
    PARTNER.set(None);
    result
}

/// Whether this thread has a partner.
pub(super) fn has_partner() -> bool {
    PARTNER.with_borrow(Option::is_some)
}

/// Asks the partner of this thread, and returns the number of the answer; nothing if there is none.
pub(super) fn ask(question: &str, answers: &[&str]) -> Option<usize> {
    PARTNER.with_borrow(|partner| partner.as_ref()?.asked(question, answers))
}

/// Where results go.
pub(super) fn stdout() -> Box<dyn Write> {
    heard().unwrap_or_else(|| Box::new(Filtered::new(unfiltered_stdout())))
}

/// Where results go that a CI system is to execute.
#[expect(clippy::disallowed_methods, reason = "the one place")]
pub(super) fn unfiltered_stdout() -> impl Write {
    anstream::stdout().lock()
}

/// Where prompts, warnings and errors go.
#[expect(clippy::disallowed_methods, reason = "the one place")]
pub(super) fn stderr() -> Box<dyn Write> {
    heard().unwrap_or_else(|| Box::new(Filtered::new(anstream::stderr().lock())))
}

fn heard() -> Option<Box<dyn Write>> {
    let listener = LISTENER.lock().unwrap_or_else(PoisonError::into_inner);
    let is_heard = has_partner() || listener.is_some();
    is_heard.then(|| Box::new(Filtered::new(Heard::default())) as Box<dyn Write>)
}

/// What is written, until it is passed on.
#[derive(Default)]
struct Heard(Vec<u8>);

impl Heard {
    fn pass_on(&mut self) {
        let bytes = std::mem::take(&mut self.0);
        let text = String::from_utf8_lossy(&bytes);
        if text.is_empty() {
            return;
        }
        let told = PARTNER.with_borrow(|partner| {
            partner
                .as_ref()
                .map(|partner| partner.told(&text))
                .is_some()
        });
        if told {
            return;
        }
        let listener = LISTENER.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ear) = listener.as_ref() {
            ear(&text);
        }
    }
}

impl Write for Heard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_on();
        Ok(())
    }
}

impl Drop for Heard {
    fn drop(&mut self) {
        self.pass_on();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    struct Taker(Sender<String>);

    impl Partner for Taker {
        fn told(&self, text: &str) {
            self.0.send(format!("told {text}")).unwrap();
        }
        fn asked(&self, question: &str, answers: &[&str]) -> Option<usize> {
            self.0.send(format!("{question} {answers:?}")).unwrap();
            Some(1)
        }
    }

    #[test]
    fn a_partner_is_told_and_asked() {
        let (sender, receiver) = channel();
        assert_eq!(ask("Who?", &["me"]), None, "nobody is there");
        let answer = talk(Taker(sender), || {
            assert!(has_partner());
            writeln!(stdout(), "done").unwrap();
            write!(stderr(), "and said").unwrap();
            ask("Sure?", &["yes", "no"])
        });
        assert_eq!(answer, Some(1));
        assert!(!has_partner());
        let heard: Vec<String> = receiver.iter().collect();
        assert_eq!(
            heard,
            ["told done\n", "told and said", r#"Sure? ["yes", "no"]"#]
        );
    }
}
