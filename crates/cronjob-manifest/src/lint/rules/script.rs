//! Shell scripts of containers.

use crate::lint::exit_code::{LostExitCode, SHELLS, ShellOptions, curl_alone, lost_exit_codes};
use crate::lint::finding::Region;
use crate::lint::{LintSubject, POD, Violation};
use located_yaml::{Node, NodeStyle, Place, Span};

/// Whether a container hides that its work failed.
pub(super) fn exit_code_lost(subject: &LintSubject<'_>) -> Vec<Violation> {
    let mut found = Vec::new();
    for list in ["containers", "initContainers"] {
        let list = format!("{POD}.{list}");
        let containers = subject.get(&list).and_then(Node::as_sequence);
        for (index, container) in containers.unwrap_or_default().iter().enumerate() {
            let path = format!("{list}[{index}]");
            found.extend(of_container(subject, &arguments(container, &path)));
        }
    }
    found
}

/// An item of `command` or `args`, and its path.
type Argument<'n> = (String, &'n Node, &'n str);

fn arguments<'n>(container: &'n Node, path: &str) -> Vec<Argument<'n>> {
    let mut all = Vec::new();
    for list in ["command", "args"] {
        let items = container.get(list).and_then(Node::as_sequence);
        let items = items.unwrap_or_default().iter().enumerate();
        let named = items.filter_map(|(index, item)| {
            Some((format!("{path}.{list}[{index}]"), item, item.as_str()?))
        });
        all.extend(named);
    }
    all
}

fn of_container(subject: &LintSubject<'_>, arguments: &[Argument<'_>]) -> Vec<Violation> {
    let words: Vec<&str> = arguments.iter().map(|(.., word)| *word).collect();
    if let (Some(lost), Some((path, node, _))) = (curl_alone(&words), arguments.first()) {
        return vec![violation(path, node.place, lost)];
    }
    let Some((index, options)) = script(&words) else {
        return Vec::new();
    };
    let Some((path, node, script)) = arguments.get(index) else {
        return Vec::new();
    };
    let lost = lost_exit_codes(script, options).into_iter();
    let placed = lost.map(|lost| violation(path, place(subject.text, node, script, lost.at), lost));
    placed.collect()
}

fn violation(path: &str, place: Place, lost: LostExitCode) -> Violation {
    Violation::new(path, place, lost.message).help(lost.help)
}

/// Which of the words is the script for a shell, and the options of the shell.
fn script(words: &[&str]) -> Option<(usize, ShellOptions)> {
    let is_shell = |word: &&str| SHELLS.contains(&word.rsplit('/').next().unwrap_or(word));
    let is_runner = |word: &&str| matches!(word.rsplit('/').next(), Some("env" | "busybox"));
    let first = usize::from(words.first().is_some_and(is_runner));
    words.get(first).filter(|word| is_shell(word))?;
    let mut options = ShellOptions::default();
    let (mut is_command, mut is_value) = (false, false);
    for (index, word) in words.iter().enumerate().skip(first + 1) {
        let flags = word.strip_prefix('-').filter(|flags| !flags.is_empty());
        if is_value {
            options.has_pipefail |= *word == "pipefail";
            options.exits_on_error |= *word == "errexit";
            is_value = false;
        } else if let Some(flags) = flags {
            let is_short = !flags.starts_with('-');
            is_command |= is_short && flags.contains('c');
            options.exits_on_error |= is_short && flags.contains('e');
            is_value = is_short && flags.contains('o');
        } else {
            return is_command.then_some((index, options));
        }
    }
    None
}

/// The place of a command of a script: its line in the manifest, if that has the script as it is, or else the script.
fn place(text: &str, node: &Node, script: &str, at: usize) -> Place {
    let in_lines = || {
        let before = script.get(..at)?;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = script.get(start..)?.lines().next()?;
        let source = node.place.span.slice(text)?;
        let offset = node.place.span.range().start + source.find(line)?;
        let end = offset + line.trim_end_matches(['\\', ' ']).len();
        let span = Span::new(offset + (at - start), end.max(offset + (at - start)));
        let (line, column) = Region::of(text, node.place, span).start;
        Some(Place { span, line, column })
    };
    let is_block = matches!(node.style, NodeStyle::Literal);
    is_block.then(in_lines).flatten().unwrap_or(node.place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_of_a_shell_is_found() {
        let options = |exits_on_error, has_pipefail| ShellOptions {
            exits_on_error,
            has_pipefail,
        };
        for (words, expected) in [
            (&["sh", "-c", "x"][..], Some((2, options(false, false)))),
            (&["/bin/bash", "-ec", "x"], Some((2, options(true, false)))),
            (
                &["bash", "-euo", "pipefail", "-c", "x"],
                Some((4, options(true, true))),
            ),
            (
                &["bash", "-o", "errexit", "-c", "x", "y"],
                Some((4, options(true, false))),
            ),
            (&["sh", "-c", "-e", "x"], Some((3, options(true, false)))),
            (
                &["/usr/bin/env", "bash", "-c", "x"],
                Some((3, options(false, false))),
            ),
            (
                &["busybox", "sh", "-c", "x"],
                Some((3, options(false, false))),
            ),
            (&["sh", "/run.sh"], None),
            (&["python", "-c", "x"], None),
            (&["sh", "-c"], None),
            (&["sh -c x"], None),
            (&[], None),
        ] {
            assert_eq!(script(words), expected, "{words:?}");
        }
    }
}
