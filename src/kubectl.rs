//! Commands to paste into a shell: they act on the very cluster that an answer is about.

use std::borrow::Cow;
use std::fmt;

use crate::printable::printable;

/// How kubectl reaches a cluster: the flags that were given for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kubectl {
    /// Quoted for a shell.
    flags: Vec<String>,
    /// What whoever runs a command has to add.
    secrets: Vec<&'static str>,
}

/// kubectl as it is, without flags.
pub static PLAIN: Kubectl = Kubectl {
    flags: Vec::new(),
    secrets: Vec::new(),
};

impl Kubectl {
    /// Adds a flag that has no value.
    pub fn switch(&mut self, flag: &'static str) {
        self.flags.push(flag.to_owned());
    }

    /// Adds a flag with its value.
    pub fn flag(&mut self, flag: &'static str, value: &str) {
        self.flags.push(with_value(flag, value));
    }

    /// Something was given that is not repeated, since it is secret.
    pub fn secret(&mut self, what: &'static str) {
        self.secrets.push(what);
    }

    /// A command of kubectl, such as `get job`.
    pub fn command(&self, verb: &'static str) -> Command {
        self.begin("kubectl", verb, true)
    }

    /// A verb of this program.
    pub fn doctor(&self, verb: &'static str) -> Command {
        // kubectl takes no flags in front of a plugin's name.
        self.begin("kubectl cronjob-doctor", verb, false)
    }

    fn begin(&self, program: &'static str, verb: &'static str, flags_first: bool) -> Command {
        Command {
            program,
            flags: self.flags.clone(),
            verb,
            flags_first,
            names: Vec::new(),
            options: Vec::new(),
            comments: self
                .secrets
                .iter()
                .map(|what| format!("add {what}"))
                .collect(),
        }
    }
}

/// A command, quoted for a shell where it must be.
#[derive(Clone, Debug)]
pub struct Command {
    program: &'static str,
    flags: Vec<String>,
    verb: &'static str,
    flags_first: bool,
    names: Vec<String>,
    options: Vec<String>,
    comments: Vec<String>,
}

impl Command {
    /// In a namespace.
    #[must_use]
    pub fn namespace(mut self, namespace: &str) -> Self {
        let flag = if namespace.starts_with('-') {
            "--namespace"
        } else {
            "-n"
        };
        self.flags.push(with_value(flag, namespace));
        self
    }

    /// With a name, which may look like a flag.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        self.names.push(name.to_owned());
        self
    }

    /// With what follows the names.
    #[must_use]
    pub fn argument(mut self, argument: &str) -> Self {
        self.options.push(quoted(argument));
        self
    }

    /// With flags as they are.
    #[must_use]
    pub fn with(mut self, options: &'static str) -> Self {
        self.options.push(options.to_owned());
        self
    }

    /// With a flag and its value.
    #[must_use]
    pub fn value(mut self, flag: &'static str, value: &str) -> Self {
        self.options.push(with_value(flag, value));
        self
    }

    /// With something that is not executed.
    #[must_use]
    pub fn comment(mut self, text: impl fmt::Display) -> Self {
        self.comments.push(text.to_string());
        self
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = std::iter::once(self.verb);
        let flags = self.flags.iter().map(String::as_str);
        let mut words = vec![self.program];
        if self.flags_first {
            words.extend(flags.chain(verb));
        } else {
            words.extend(verb.chain(flags));
        }
        let names: Vec<String> = self.names.iter().map(|name| quoted(name)).collect();
        let names = names.iter().map(String::as_str);
        let options = self.options.iter().map(String::as_str);
        if self.names.iter().any(|name| name.starts_with('-')) {
            words.extend(options.chain(["--"]).chain(names));
        } else {
            words.extend(names.chain(options));
        }
        f.write_str(&words.join(" "))?;
        if self.comments.is_empty() {
            return Ok(());
        }
        // What followed a line end would be executed.
        write!(f, "  # {}", printable(&self.comments.join("; ")))
    }
}

impl From<Command> for String {
    fn from(command: Command) -> Self {
        command.to_string()
    }
}

/// `--flag value`, `--flag=value`, where the value could be taken for a flag.
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
    // What nobody would quote, although shlex does.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:@%+,=".contains(c);
    if !word.is_empty() && !word.starts_with('=') && word.chars().all(is_plain) {
        return word.to_owned();
    }
    // No argument of a program can have it.
    let possible = word.replace('\0', "\u{fffd}");
    let quoted = shlex::try_quote(&possible).map(Cow::into_owned);
    quoted.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Kubectl, PLAIN};

    fn production() -> Kubectl {
        let mut kubectl = Kubectl::default();
        kubectl.flag("--kubeconfig", "/home/me/my clusters");
        kubectl.flag("--context", "prod");
        kubectl.flag("--as", "-me");
        kubectl.switch("--insecure-skip-tls-verify");
        kubectl
    }

    #[test]
    fn flags_stand_where_kubectl_wants_them() {
        let flags = "--kubeconfig '/home/me/my clusters' --context prod --as=-me --insecure-skip-tls-verify";
        let kubectl = production();
        let delete = kubectl.command("delete job").namespace("shop").name("x");
        assert_eq!(
            delete.to_string(),
            format!("kubectl {flags} -n shop delete job x")
        );
        let resume = kubectl
            .doctor("resume")
            .namespace("shop")
            .name("x")
            .with("--catch-up=skip");
        let expected = format!("kubectl cronjob-doctor resume {flags} -n shop x --catch-up=skip");
        assert_eq!(resume.to_string(), expected);
        assert_eq!(PLAIN.command("get nodes").to_string(), "kubectl get nodes");
    }

    #[test]
    fn secrets_are_left_to_whoever_runs_it() {
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

    /// A shell hands over exactly what was meant.
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
                .value("--from=", word)
                .value("-p", word);
            let split = shlex::split(&command.to_string()).unwrap();
            let namespace = if word.starts_with('-') {
                vec![format!("--namespace={word}")]
            } else {
                vec!["-n".to_owned(), word.to_owned()]
            };
            let from = format!("--from={word}");
            let rest: Vec<&str> = if word.starts_with('-') {
                vec!["patch", &from, "-p", word, "--", word]
            } else {
                vec!["patch", word, &from, "-p", word]
            };
            let namespace = namespace.iter().map(String::as_str);
            let expected: Vec<&str> = std::iter::once("kubectl")
                .chain(namespace)
                .chain(rest)
                .collect();
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
