//! Commands to paste into a shell: they act on the very cluster that an answer is about.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use cronjob_text::printable::printable;
use cronjob_text::text::Text;

/// How kubectl reaches a cluster: the flags that were given for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kubectl {
    flags: Vec<String>,
    /// Flags that the user has to add, because their values are secret.
    secrets: Vec<&'static str>,
}

pub static PLAIN: Kubectl = Kubectl {
    flags: Vec::new(),
    secrets: Vec::new(),
};

impl Kubectl {
    /// Adds a flag without a value.
    pub fn switch(&mut self, flag: &'static str) {
        self.flags.push(flag.to_owned());
    }

    pub fn flag(&mut self, flag: &'static str, value: &str) {
        self.flags.push(with_value(flag, value));
    }

    /// Notes a flag whose value is secret and therefore not repeated.
    pub fn secret(&mut self, what: &'static str) {
        self.secrets.push(what);
    }

    /// A command of kubectl, such as `get job`.
    pub fn command(&self, verb: &'static str) -> Command {
        self.begin("kubectl", verb)
    }

    pub fn doctor(&self, verb: &'static str) -> Command {
        self.begin("kubectl cronjob-doctor", verb)
    }

    /// Runs a finished Job of a CronJob again, with its own template.
    pub fn retry(&self, namespace: &str, job: &str) -> Command {
        let trigger = self.doctor("trigger").namespace(namespace);
        trigger.value("--job", job)
    }

    fn begin(&self, program: &'static str, verb: &'static str) -> Command {
        Command {
            program,
            verb,
            names: Vec::new(),
            arguments: Vec::new(),
            source: None,
            namespace: None,
            flags: self.flags.clone(),
            options: Vec::new(),
            notes: self
                .secrets
                .iter()
                .map(|what| Note::from(format!("add {what}")))
                .collect(),
            corrects: false,
        }
    }
}

/// What the note before a command says that runs something again.
const RUN_AGAIN: &str = "run it again";
/// What to do before that.
const SAVE_LOGS: &str = "save the logs first";

/// What to do about a problem: a command with notes, or a sentence.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Remedy {
    /// A command that can be pasted, if there is one.
    pub command: Option<String>,
    /// Notes on the command.
    pub notes: Vec<Note>,
    /// All of it in one line: the command with its notes as a comment, or a sentence.
    pub text: String,
    #[serde(skip)]
    only_shows: bool,
}

/// A note on a command.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Note {
    /// What it says, or what its command is for.
    pub text: Text,
    /// Another command that can be pasted.
    pub command: Option<String>,
}

impl Remedy {
    /// Gives back the memory that was reserved while it was put together.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.text.shrink_to_fit();
        self.notes.shrink_to_fit();
        for note in &mut self.notes {
            note.text.shrink_to_fit();
        }
    }

    /// Leaves out the notes on a command that changes nothing, except how to run it again, and that logs are to be saved
    /// before.
    #[must_use]
    pub fn brief(mut self) -> Self {
        if let Some(command) = self.command.clone().filter(|_| self.only_shows) {
            let is_kept = |text: &str| [SAVE_LOGS, RUN_AGAIN].contains(&text);
            self.notes.retain(|note| is_kept(&note.text));
            self.save_in_short();
            self.text = with_notes(&command, &self.notes);
        }
        self
    }

    /// Leaves out all notes.
    #[must_use]
    pub fn without_notes(mut self) -> Self {
        self.notes.clear();
        if let Some(command) = &self.command {
            self.text.clone_from(command);
        }
        self
    }

    /// Says in the same note that logs are to be saved and how to run it again.
    fn save_in_short(&mut self) {
        let saves = self.notes.iter().any(|note| *note.text == *SAVE_LOGS);
        self.notes.retain(|note| *note.text != *SAVE_LOGS);
        let mut notes = self.notes.iter_mut().filter(|_| saves);
        if let Some(again) = notes.find(|note| *note.text == *RUN_AGAIN) {
            again.text = format!("{SAVE_LOGS}, then {RUN_AGAIN}").into();
        }
    }

    /// Leaves out the notes that only repeat what the first lines of a page say.
    #[must_use]
    pub fn without_asides(mut self) -> Self {
        self.save_in_short();
        if let Some(command) = &self.command {
            self.notes
                .retain(|note| !note.text.without_asides().is_empty());
            self.text = with_notes(command, &self.notes);
        }
        self
    }

    /// Whether it has all commands of another one that change something, or if there are none, the same command.
    pub fn covers(&self, other: &Self) -> bool {
        let mut changes = other.commands().skip(other.only_shows.into()).peekable();
        if changes.peek().is_none() {
            return self.command == other.command
                && (self.command.is_some() || self.text == other.text);
        }
        changes.all(|change| self.commands().any(|command| command == change))
    }

    /// The commands, also those of the notes.
    fn commands(&self) -> impl Iterator<Item = &str> {
        let of_notes = self.notes.iter().map(|note| &note.command);
        let all = [&self.command].into_iter().chain(of_notes);
        all.filter_map(Option::as_deref)
    }

    /// Keeps the notes in any case: without them the command does not help.
    #[must_use]
    pub(crate) fn whole(self) -> Self {
        Remedy {
            only_shows: false,
            ..self
        }
    }
}

impl From<Command> for Remedy {
    fn from(command: Command) -> Self {
        Remedy {
            text: command.to_string(),
            only_shows: command.only_shows(),
            command: Some(command.alone()),
            notes: command.notes,
        }
    }
}

impl From<String> for Remedy {
    fn from(text: String) -> Self {
        Remedy {
            command: None,
            notes: Vec::new(),
            text,
            only_shows: false,
        }
    }
}

impl From<Text> for Remedy {
    fn from(sentence: Text) -> Self {
        Remedy::from(String::from(sentence))
    }
}

impl From<&str> for Remedy {
    fn from(sentence: &str) -> Self {
        Remedy::from(sentence.to_owned())
    }
}

impl<T: Into<Text>> From<T> for Note {
    fn from(text: T) -> Self {
        Note {
            text: text.into(),
            command: None,
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.text)?;
        match &self.command {
            Some(command) => write!(f, ": {command}"),
            None => Ok(()),
        }
    }
}

/// A command in the order that the documentation of kubectl uses, quoted for a shell where
/// necessary: `kubectl VERB RESOURCE NAME -n NAMESPACE --flags`.
#[derive(Clone, Debug)]
#[must_use]
pub struct Command {
    program: &'static str,
    verb: &'static str,
    names: Vec<String>,
    arguments: Vec<String>,
    source: Option<String>,
    namespace: Option<String>,
    flags: Vec<String>,
    options: Vec<String>,
    notes: Vec<Note>,
    /// Whether a note corrects something, by a command or in words.
    corrects: bool,
}

impl Command {
    pub fn namespace(mut self, namespace: &str) -> Self {
        let flag = if namespace.starts_with('-') {
            "--namespace"
        } else {
            "-n"
        };
        self.namespace = Some(with_value(flag, namespace));
        self
    }

    /// Adds a name, which may look like a flag.
    pub fn name(mut self, name: &str) -> Self {
        self.names.push(name.to_owned());
        self
    }

    /// Adds an argument that follows the names.
    pub fn argument(mut self, argument: &str) -> Self {
        self.arguments.push(quoted(argument));
        self
    }

    /// Sets what an object is created from.
    pub fn from(mut self, source: &str) -> Self {
        self.source = Some(with_value("--from=", source));
        self
    }

    pub fn with(mut self, options: &'static str) -> Self {
        self.options.push(options.to_owned());
        self
    }

    /// Adds a flag with its value.
    pub fn value(mut self, flag: &'static str, value: &str) -> Self {
        self.options.push(with_value(flag, value));
        self
    }

    /// Adds a note, which a shell does not execute.
    pub fn comment(mut self, text: impl Into<Text>) -> Self {
        self.notes.push(Note::from(text));
        self
    }

    /// Adds a note that says how to correct the object.
    pub fn correction(mut self, text: &str) -> Self {
        self.corrects = true;
        self.comment(text)
    }

    /// Adds another command as a note: what it is for, the command, and its own notes.
    pub fn or(mut self, purpose: &str, other: Command) -> Self {
        self.corrects |= other.corrects();
        self.notes.push(Note {
            text: purpose.into(),
            command: Some(other.alone()),
        });
        for note in other.notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        self
    }

    /// Adds the command that saves logs which a history limit deletes if the next run fails.
    pub(crate) fn then_save_logs(self, save: Command) -> Self {
        self.or(SAVE_LOGS, save)
    }

    /// Adds the command that runs it again, once this one has been followed.
    pub(crate) fn then_run_again(self, run: Command) -> Self {
        self.or(RUN_AGAIN, run)
    }

    /// Whether it changes nothing.
    pub(crate) fn only_shows(&self) -> bool {
        let verb = self.verb.split(' ').next().unwrap_or_default();
        self.program == "kubectl" && ["describe", "get", "logs"].contains(&verb)
    }

    /// Whether it or a note on it changes something.
    pub fn corrects(&self) -> bool {
        self.corrects || !self.only_shows()
    }

    fn alone(&self) -> String {
        let names: Vec<String> = self.names.iter().map(|name| quoted(name)).collect();
        let names = names.iter().chain(&self.arguments).map(String::as_str);
        let flags = self.source.iter().chain(&self.namespace);
        let flags = flags.chain(&self.flags).chain(&self.options);
        let flags = flags.map(String::as_str);
        let mut words = vec![self.program, self.verb];
        if self.names.iter().any(|name| name.starts_with('-')) {
            words.extend(flags.chain(["--"]).chain(names));
        } else {
            words.extend(names.chain(flags));
        }
        words.join(" ")
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&with_notes(&self.alone(), &self.notes))
    }
}

plain_in_text!(Command);

/// A command with its notes as a comment.
fn with_notes(command: &str, notes: &[Note]) -> String {
    if notes.is_empty() {
        return command.to_owned();
    }
    let notes: Vec<String> = notes.iter().map(Note::to_string).collect();
    // A shell would execute what follows a line break.
    format!("{command}  # {}", printable(&notes.join("; ")))
}

/// `--flag value`, `--flag=value`, if the value could be mistaken for a flag.
fn with_value(flag: &str, value: &str) -> String {
    let sign = if flag.ends_with('=') {
        ""
    } else if flag.starts_with("--") && value.starts_with('-') {
        "="
    } else {
        " "
    };
    format!("{flag}{sign}{}", quoted(value))
}

fn quoted(word: &str) -> String {
    // shlex also quotes these, which is unnecessary.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+,=".contains(c);
    if !word.is_empty() && !word.starts_with('=') && word.chars().all(is_plain) {
        return word.to_owned();
    }
    // An argument of a program cannot contain NUL.
    let possible = word.replace('\0', "\u{fffd}");
    let quoted = shlex::try_quote(&possible).map(Cow::into_owned);
    quoted.unwrap_or_default()
}
