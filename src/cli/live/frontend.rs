//! A dashboard that owns the terminal.

use std::sync::PoisonError;

use crate::cli::stdio::{FRONTEND, Frontend, LISTENER, Listener, with_value};

/// While it exists, nothing is written to the terminal.
pub(super) struct Capture(());

impl Capture {
    /// Passes everything that is written to `listener`.
    pub(super) fn begin(listener: impl Fn(&str) + Send + 'static) -> Self {
        set_listener(Some(Box::new(listener)));
        Capture(())
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        set_listener(None);
    }
}

fn set_listener(listener: Option<Listener>) {
    *LISTENER.lock().unwrap_or_else(PoisonError::into_inner) = listener;
}

/// Runs `act` with a frontend for the questions and results of this thread.
pub(super) fn with_frontend<T>(frontend: impl Frontend + 'static, act: impl FnOnce() -> T) -> T {
    with_value(&FRONTEND, Some(Box::new(frontend)), act)
}

/// Asks the frontend of this thread, and returns the number of the answer; `None` if there is none.
pub(super) fn ask(question: &str, answers: &[&str]) -> Option<usize> {
    FRONTEND.with_borrow(|frontend| frontend.as_ref()?.ask(question, answers))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::sync::mpsc::{Sender, channel};

    use super::*;
    use crate::cli::stdio::{context, has_frontend, naming, stderr, stdout};

    struct Taker(Sender<String>);

    impl Frontend for Taker {
        fn show(&self, text: &str) {
            self.0.send(format!("told {text}")).unwrap();
        }
        fn ask(&self, question: &str, answers: &[&str]) -> Option<usize> {
            self.0.send(format!("{question} {answers:?}")).unwrap();
            Some(1)
        }
    }

    #[test]
    fn frontend_receives_output_and_questions() {
        let (sender, receiver) = channel();
        assert_eq!(ask("Who?", &["me"]), None, "nobody is there");
        let answer = with_frontend(Taker(sender), || {
            assert!(has_frontend());
            writeln!(stdout(), "done").unwrap();
            write!(stderr(), "and said").unwrap();
            ask("Sure?", &["yes", "no"])
        });
        assert_eq!(answer, Some(1));
        assert!(!has_frontend());
        let heard: Vec<String> = receiver.iter().collect();
        assert_eq!(
            heard,
            ["told done\n", "told and said", r#"Sure? ["yes", "no"]"#]
        );
    }

    #[test]
    fn nested_frontend_and_context_give_way_to_the_outer_ones() {
        let ((outer, heard), (inner, other)) = (channel(), channel());
        naming(Some("outer"), || {
            naming(Some("inner"), || assert_eq!(context(), "context inner: "));
            assert_eq!(context(), "context outer: ");
        });
        assert_eq!(context(), "");
        with_frontend(Taker(outer), || {
            with_frontend(Taker(inner), || ask("inner?", &[]));
            ask("outer?", &[]);
        });
        assert!(!has_frontend());
        assert_eq!(other.iter().collect::<Vec<_>>(), ["inner? []"]);
        assert_eq!(heard.iter().collect::<Vec<_>>(), ["outer? []"]);
    }
}
