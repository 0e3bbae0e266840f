//! Commands to paste, and other pieces of text that findings are made of.

use std::fmt::{self, Write as _};

use super::facts::Facts;
use super::pace::sensible_deadline;

/// The longest name that a Job may have.
const LONGEST_JOB_NAME: usize = 63;

impl Facts<'_> {
    /// `-n NAMESPACE` and the name.
    pub fn kubectl_args(&self) -> String {
        format!(
            "-n {} {}",
            word(&self.cron_job.namespace),
            word(&self.cron_job.name)
        )
    }

    /// `kubectl -n NAMESPACE`, then the rest, in which names are quoted already.
    pub fn kubectl(&self, rest: &str) -> String {
        format!("kubectl -n {} {rest}", word(&self.cron_job.namespace))
    }

    /// Changes fields of the spec, given as JSON, and says what that sets off.
    pub fn patch(&self, spec: &serde_json::Value) -> String {
        let patch = patch_command(&self.cron_job.namespace, &self.cron_job.name, spec);
        match self.after_patching(spec) {
            Some(then) => format!("{patch}  # {then}"),
            None => patch,
        }
    }

    /// Starts a Job now, outside of the schedule.
    pub fn run_by_hand(&self) -> String {
        let (suffix, name) = ("-by-hand", &self.cron_job.name);
        let room = LONGEST_JOB_NAME - suffix.len();
        let short: String = name.chars().take(room).collect();
        let job = word(&format!("{short}{suffix}"));
        self.kubectl(&format!("create job {job} --from=cronjob/{}", word(name)))
    }

    /// A deadline for its schedule.
    pub fn sensible_deadline(&self) -> i64 {
        self.pace()
            .map_or(300, |pace| sensible_deadline(pace.shortest))
    }
}

/// The command that changes fields of the spec, given as JSON.
pub(crate) fn patch_command(namespace: &str, name: &str, spec: &serde_json::Value) -> String {
    let patch = serde_json::json!({ "spec": spec });
    let (namespace, name) = (word(namespace), word(name));
    let patch = quoted(&patch.to_string());
    format!("kubectl -n {namespace} patch cronjob {name} --type=merge -p {patch}")
}

/// A word of a shell command. Names from a cluster need no quotes, but files may hold anything.
pub(super) fn word(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._/".contains(&byte);
    if !text.is_empty() && text.bytes().all(plain) {
        text.to_owned()
    } else {
        quoted(text)
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A message from the cluster in one line, without characters that would upset a terminal.
pub(super) fn one_line(message: &str) -> String {
    const LONGEST: usize = 300;
    let plain = message.replace(char::is_control, " ");
    let plain = plain.trim();
    let mut short: String = plain.chars().take(LONGEST).collect();
    if short.len() < plain.len() {
        short.push('…');
    }
    short
}

/// Adds to a text.
pub(super) fn add(text: &mut String, more: fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = text.write_fmt(more);
}

/// `1 slot`, `2 slots`.
pub(crate) fn counted<N: Copy + fmt::Display + From<u8> + PartialEq>(
    count: N,
    what: &str,
) -> String {
    if count == N::from(1) {
        format!("1 {what}")
    } else {
        format!("{count} {what}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_a_shell() {
        assert_eq!(word("db-backup.v2"), "db-backup.v2");
        assert_eq!(word("it's; rm -rf /"), r"'it'\''s; rm -rf /'");
        assert_eq!(word(""), "''");
    }

    #[test]
    fn messages_in_one_line() {
        assert_eq!(one_line(" a\nb\u{1b}[31m "), "a b [31m");
        assert_eq!(one_line(&"é".repeat(400)).chars().count(), 301);
    }
}
