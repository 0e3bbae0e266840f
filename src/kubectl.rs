//! Commands to paste into a shell: they act on the very cluster that an answer is about.

use std::borrow::Cow;
use std::fmt;

use crate::printable::printable;

/// How kubectl reaches a cluster: the flags that were given for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kubectl {
    /// Quoted for a shell.
    flags: Vec<String>,
    /// Flags that the user has to add, because their values are secret.
    secrets: Vec<&'static str>,
}

/// kubectl without flags.
pub static PLAIN: Kubectl = Kubectl {
    flags: Vec::new(),
    secrets: Vec::new(),
};

impl Kubectl {
    /// Adds a flag without a value.
    pub fn switch(&mut self, flag: &'static str) {
        self.flags.push(flag.to_owned());
    }

    /// Adds a flag with its value.
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

    /// A verb of this program.
    pub fn doctor(&self, verb: &'static str) -> Command {
        self.begin("kubectl cronjob-doctor", verb)
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
            comments: self
                .secrets
                .iter()
                .map(|what| format!("add {what}"))
                .collect(),
        }
    }
}

/// A command in the order that the documentation of kubectl uses, quoted for a shell where
/// necessary: `kubectl VERB RESOURCE NAME -n NAMESPACE --flags`.
#[derive(Clone, Debug)]
pub struct Command {
    program: &'static str,
    verb: &'static str,
    names: Vec<String>,
    arguments: Vec<String>,
    source: Option<String>,
    namespace: Option<String>,
    flags: Vec<String>,
    options: Vec<String>,
    comments: Vec<String>,
}

impl Command {
    /// Sets the namespace.
    #[must_use]
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
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        self.names.push(name.to_owned());
        self
    }

    /// Adds an argument that follows the names.
    #[must_use]
    pub fn argument(mut self, argument: &str) -> Self {
        self.arguments.push(quoted(argument));
        self
    }

    /// Sets what an object is created from.
    #[must_use]
    pub fn from(mut self, source: &str) -> Self {
        self.source = Some(with_value("--from=", source));
        self
    }

    /// Adds flags as they are.
    #[must_use]
    pub fn with(mut self, options: &'static str) -> Self {
        self.options.push(options.to_owned());
        self
    }

    /// Adds a flag with its value.
    #[must_use]
    pub fn value(mut self, flag: &'static str, value: &str) -> Self {
        self.options.push(with_value(flag, value));
        self
    }

    /// Adds a comment, which a shell does not execute.
    #[must_use]
    pub fn comment(mut self, text: impl fmt::Display) -> Self {
        self.comments.push(text.to_string());
        self
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
        f.write_str(&words.join(" "))?;
        if self.comments.is_empty() {
            return Ok(());
        }
        // A shell would execute what follows a line break.
        write!(f, "  # {}", printable(&self.comments.join("; ")))
    }
}

impl From<Command> for String {
    fn from(command: Command) -> Self {
        command.to_string()
    }
}

/// Splits a command as it is written above into the command and its comment.
pub(crate) fn split_comment(text: &str) -> (&str, Option<&str>) {
    const SIGN: &str = "  # ";
    match find_unquoted(text, SIGN) {
        Some(end) => {
            let (command, comment) = text.split_at(end);
            (command, comment.get(SIGN.len()..))
        }
        None => (text, None),
    }
}

/// Splits a comment after each command in it: what comes before the command, and the command.
pub(crate) fn comment_parts(comment: &str) -> Vec<(&str, Option<&str>)> {
    const END: &str = "; ";
    let mut parts = Vec::new();
    let mut rest = comment;
    while !rest.is_empty() {
        let Some((before, command)) = find_command(rest).map(|start| rest.split_at(start)) else {
            parts.push((rest, None));
            break;
        };
        let end = find_unquoted(command, END).unwrap_or(command.len());
        let (command, after) = command.split_at(end);
        parts.push((before.trim_end(), Some(command)));
        rest = after.get(END.len()..).unwrap_or_default();
    }
    parts
}

/// Where a command begins in a comment: at its start, or after a colon.
fn find_command(comment: &str) -> Option<usize> {
    const PROGRAM: &str = "kubectl ";
    if comment.starts_with(PROGRAM) {
        return Some(0);
    }
    comment.find(": kubectl ").map(|colon| colon + ": ".len())
}

/// Where `what` is found outside of the quotes of a shell.
fn find_unquoted(text: &str, what: &str) -> Option<usize> {
    let mut quote = None;
    let mut characters = text.char_indices();
    while let Some((index, c)) = characters.next() {
        match (quote, c) {
            (None, _) if text.get(index..).is_some_and(|rest| rest.starts_with(what)) => {
                return Some(index);
            }
            (None, '\'' | '"') => quote = Some(c),
            (None | Some('"'), '\\') => {
                characters.next();
            }
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
    }
    None
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

#[cfg(test)]
mod tests {
    use super::{Kubectl, PLAIN, comment_parts, split_comment};

    #[test]
    fn comments_are_split_from_commands_and_quotes_are_kept() {
        assert_eq!(
            split_comment("kubectl get job a"),
            ("kubectl get job a", None)
        );
        assert_eq!(
            split_comment("kubectl get job a  # it's old  # or not"),
            ("kubectl get job a", Some("it's old  # or not"))
        );
        for name in ["a  # b", "a'  # b", "a\"  # b", "a\\  # b"] {
            let plain = PLAIN.command("get job").name(name);
            let (command, comment) = (plain.to_string(), plain.comment("c").to_string());
            assert_eq!(split_comment(&command), (command.as_str(), None));
            assert_eq!(split_comment(&comment), (command.as_str(), Some("c")));
        }
    }

    #[test]
    fn comments_are_split_after_their_commands() {
        assert_eq!(
            comment_parts("it is old; so am I"),
            [("it is old; so am I", None)]
        );
        let comment =
            "add --token; to end it: kubectl delete job 'a; b' -n c; d starts; or: kubectl x";
        assert_eq!(
            comment_parts(comment),
            [
                (
                    "add --token; to end it:",
                    Some("kubectl delete job 'a; b' -n c")
                ),
                ("d starts; or:", Some("kubectl x")),
            ]
        );
        assert_eq!(
            comment_parts("kubectl x; then y"),
            [("", Some("kubectl x")), ("then y", None)]
        );
    }

    fn production() -> Kubectl {
        let mut kubectl = Kubectl::default();
        kubectl.flag("--kubeconfig", "/home/me/my clusters");
        kubectl.flag("--context", "prod");
        kubectl.flag("--as", "-me");
        kubectl.switch("--insecure-skip-tls-verify");
        kubectl
    }

    #[test]
    fn command_has_the_order_of_kubectls_documentation() {
        let flags = "--kubeconfig '/home/me/my clusters' --context prod --as=-me --insecure-skip-tls-verify";
        let kubectl = production();
        let delete = kubectl.command("delete job").namespace("shop").name("x");
        assert_eq!(
            delete.to_string(),
            format!("kubectl delete job x -n shop {flags}")
        );
        let resume = kubectl
            .doctor("resume")
            .namespace("shop")
            .name("x")
            .with("--catch-up=skip");
        let expected = format!("kubectl cronjob-doctor resume x -n shop {flags} --catch-up=skip");
        assert_eq!(resume.to_string(), expected);
        assert_eq!(PLAIN.command("get nodes").to_string(), "kubectl get nodes");
    }

    #[test]
    fn secrets_are_left_to_the_user() {
        let mut kubectl = Kubectl::default();
        kubectl.secret("--token");
        let end = kubectl.command("delete job").name("x");
        let look = kubectl
            .command("get job")
            .name("x")
            .comment(format!("to end it: {end}"));
        assert_eq!(
            look.to_string(),
            "kubectl get job x  # add --token; to end it: kubectl delete job x  # add --token"
        );
    }

    #[test]
    fn words_survive_a_shell() {
        let words = [
            "it's; rm -rf /",
            "",
            "$(x)`x`",
            "a\nb",
            "!x",
            "^",
            "'\"\\",
            "~",
            "{a,b}",
            "*",
            "#",
            "-x",
            "--all",
            "夜",
        ];
        for word in words {
            let command = PLAIN
                .command("patch")
                .namespace(word)
                .name(word)
                .argument(word)
                .from(word)
                .value("-p", word);
            let split = shlex::split(&command.to_string()).unwrap();
            let from = format!("--from={word}");
            let inline = format!("--namespace={word}");
            let is_flag = word.starts_with('-');
            let namespace: &[&str] = if is_flag { &[&inline] } else { &["-n", word] };
            let names: &[&str] = if is_flag { &[] } else { &[word, word] };
            let last: &[&str] = if is_flag { &["--", word, word] } else { &[] };
            let middle: &[&str] = &[&from];
            let end: &[&str] = &["-p", word];
            let parts = [&["kubectl", "patch"], names, middle, namespace, end, last];
            let expected = parts.concat();
            assert_eq!(split, expected, "{command}");
        }
        let nul = PLAIN.command("get job").name("a\0b").to_string();
        assert_eq!(nul, "kubectl get job 'a\u{fffd}b'");
    }

    #[test]
    fn nothing_follows_a_comment() {
        let end = PLAIN.command("delete job").name("a\nrm -rf /");
        let look = PLAIN.command("get job").name("b").comment(end).to_string();
        assert_eq!(
            look,
            r"kubectl get job b  # kubectl delete job 'a\nrm -rf /'"
        );
    }
}
