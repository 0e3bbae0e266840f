//! Calls of `curl` that succeed on an HTTP error.

use super::super::shell::Word;
use super::{LostExitCode, base_name, name_of};

/// A `curl` that a container runs without a shell.
pub(in crate::lint) fn curl_alone(words: &[&str]) -> Option<LostExitCode> {
    let (name, rest) = words.split_first()?;
    let lost = base_name(name) == "curl" && ignores_http_errors(rest);
    lost.then(|| curl_lost(0))
}

pub(super) fn curl_lost(at: usize) -> LostExitCode {
    LostExitCode {
        at,
        message:
            "curl without --fail exits with 0 on an HTTP error such as 500, and the Job succeeds"
                .into(),
        help: "Add --fail, or --fail-with-body to log the response.",
    }
}

pub(super) fn is_curl(words: &[Word]) -> bool {
    name_of(words) == "curl"
}

/// Whether a `curl` with these arguments succeeds on an HTTP error.
pub(super) fn ignores_http_errors(arguments: &[&str]) -> bool {
    let has_fail = |argument: &str| {
        if argument.starts_with("--fail") {
            return true;
        }
        let flags = argument
            .strip_prefix('-')
            .filter(|flags| !flags.starts_with('-'));
        // A flag with a value is the last of a group.
        let flags = flags.unwrap_or_default().chars();
        let mut flags = flags.take_while(|flag| !"oXHdumwAbcCDeEFKPQrtTUxyYz".contains(*flag));
        flags.any(|flag| matches!(flag, 'f' | 'V'))
    };
    let is_other = |argument: &str| {
        let other = [
            "ftp://",
            "ftps://",
            "telnet://",
            "file://",
            "smtp://",
            "smtps://",
            "unix://",
        ];
        other.iter().any(|scheme| argument.contains(scheme))
            || argument.contains("http_code")
            || argument == "--version"
    };
    // Options in a variable are not known.
    let is_unknown = |argument: &str| {
        let name = argument
            .trim_start_matches(['$', '{', '"'])
            .to_ascii_uppercase();
        argument.starts_with('$')
            && ["OPT", "ARG", "FLAG", "CURL"]
                .iter()
                .any(|part| name.contains(part))
    };
    !arguments
        .iter()
        .any(|argument| has_fail(argument) || is_other(argument) || is_unknown(argument))
}

/// Whether a command is a request that only reports what other commands did, or that stops a sidecar.
pub(super) fn is_notification(words: &[Word]) -> bool {
    const SIGNS: [&str; 13] = [
        "slack",
        "webhook",
        "discord",
        "telegram",
        "ntfy",
        "hc-ping",
        "healthcheck",
        "pushover",
        "/metrics/job",
        "notify",
        "quitquitquit",
        "localhost",
        "127.0.0.1",
    ];
    let is_sign = |word: &Word| {
        let text = word.text.to_ascii_lowercase();
        SIGNS.iter().any(|sign| text.contains(sign))
    };
    is_curl(words) && words.iter().any(is_sign)
}

/// Whether a request stores what it gets, which another command then uses.
pub(super) fn writes_file(arguments: &[&str]) -> bool {
    arguments.iter().any(|argument| {
        let short = argument
            .strip_prefix('-')
            .filter(|flags| !flags.starts_with('-'));
        short.is_some_and(|flags| flags.contains(['o', 'O']))
            || matches!(*argument, "--output" | "--remote-name")
    })
}
