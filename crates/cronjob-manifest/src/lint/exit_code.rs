//! Where a shell script loses the exit code of a command that fails.

mod curl;

use std::collections::HashMap;

use curl::{curl_lost, ignores_http_errors, is_curl, is_notification, writes_file};

pub(super) use curl::curl_alone;

use super::shell::{self, Chain, Command, Connector, List, Pipeline, Word};

/// What the shell was started with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ShellOptions {
    /// `-e`: it exits when a command fails.
    pub exits_on_error: bool,
    /// `-o pipefail`: a pipeline fails if any of its commands does.
    pub has_pipefail: bool,
}

/// A failure that a script hides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LostExitCode {
    /// Where the command is in the script.
    pub at: usize,
    pub message: String,
    pub help: &'static str,
}

/// The failures that a script hides, at most one of each kind.
pub(super) fn lost_exit_codes(script: &str, options: ShellOptions) -> Vec<LostExitCode> {
    let Some(list) = shell::parse(script) else {
        return Vec::new();
    };
    let analysis = Analysis::of(script, options, &list);
    let dump = analysis
        .dump_in_pipeline()
        .or_else(|| dump_in_nested(&list, options));
    let ignored = || analysis.ignored_failure(&list);
    let first = dump.or_else(ignored);
    first
        .into_iter()
        .chain(analysis.curl_without_fail())
        .collect()
}

/// A dump in a script that a command passes to another shell, such as `kubectl exec POD -- sh -c '…'`.
fn dump_in_nested(list: &List, options: ShellOptions) -> Option<LostExitCode> {
    let mut scripts: Vec<&Word> = Vec::new();
    each_simple(list, &mut |words| {
        let shell = words
            .iter()
            .position(|word| SHELLS.contains(&base_name(&word.text)));
        let rest = shell.and_then(|at| words.get(at + 1..)).unwrap_or_default();
        if let [flags, script, ..] = rest
            && flags.text.starts_with('-')
            && flags.text.ends_with('c')
        {
            scripts.push(script);
        }
    });
    scripts.into_iter().find_map(|script| {
        let list = shell::parse(&script.text)?;
        let analysis = Analysis::of(&script.text, options, &list);
        let lost = analysis.dump_in_pipeline()?;
        Some(LostExitCode {
            at: script.at,
            ..lost
        })
    })
}

/// What happens to the exit code of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// It ends the script, or it is the exit code of the script.
    Decides,
    /// `&&` or `||` tests it.
    Tested,
    /// `||` replaces it on purpose, or it is a condition.
    Handled,
    Ignored,
}

/// What follows a list of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    Last,
    Before,
    Condition,
}

struct Analysis<'l> {
    script: &'l str,
    options: ShellOptions,
    functions: HashMap<&'l str, &'l Command>,
    uses: Vec<(&'l Pipeline, Use)>,
}

/// How a list of commands ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Ending<'l> {
    /// With a command that never fails, which has this name.
    NeverFails(&'l str),
    /// On purpose: `true` or `exit 0`.
    Deliberate,
    MayFail,
}

pub(super) const SHELLS: [&str; 6] = ["sh", "bash", "ash", "dash", "zsh", "ksh"];

/// Dumps that write to standard output.
const DUMPS: [&str; 11] = [
    "pg_dump",
    "pg_dumpall",
    "pg_basebackup",
    "mysqldump",
    "mariadb-dump",
    "mariabackup",
    "mariadb-backup",
    "xtrabackup",
    "mongodump",
    "mongoexport",
    "slapcat",
];

/// Commands that hardly fail, or whose failure the next one shows.
const MINOR: [&str; 59] = [
    ":", "[", "[[", "apk", "apt", "apt-get", "awk", "basename", "break", "cat", "cd", "chmod",
    "chown", "continue", "cut", "date", "df", "dirname", "dnf", "du", "echo", "eval", "exit",
    "export", "false", "find", "grep", "head", "jq", "kill", "let", "local", "ls", "microdnf",
    "mkdir", "printf", "read", "return", "rm", "sed", "seq", "set", "shift", "sleep", "sort",
    "tail", "tee", "test", "touch", "tr", "trap", "true", "uniq", "unset", "wait", "wc", "which",
    "xargs", "yum",
];

impl<'l> Analysis<'l> {
    fn of(script: &'l str, options: ShellOptions, list: &'l List) -> Self {
        let mut analysis = Analysis {
            script,
            options,
            functions: HashMap::new(),
            uses: Vec::new(),
        };
        analysis.read_options(list);
        analysis.walk(list, Position::Last);
        analysis
    }

    fn read_options(&mut self, list: &'l List) {
        self.options.has_pipefail |= self.script.contains("pipefail");
        let mut sets = Vec::new();
        each_simple(list, &mut |words| {
            if words.first().is_some_and(|word| word.text == "set") {
                sets.push(words);
            }
        });
        let is_exit = |word: &Word| {
            let short = word.text.strip_prefix('-');
            let short = short.filter(|flags| !flags.starts_with('-'));
            word.text == "errexit" || short.is_some_and(|flags| flags.contains('e'))
        };
        self.options.exits_on_error |= sets.into_iter().flatten().any(is_exit);
    }

    /// Records what happens to the exit code of each pipeline.
    fn walk(&mut self, list: &'l List, position: Position) {
        for (index, chain) in list.iter().enumerate() {
            let is_end = index + 1 == list.len() && !chain.in_background;
            let pipelines =
                std::iter::once(&chain.first).chain(chain.rest.iter().map(|(_, next)| next));
            for (nth, pipeline) in pipelines.enumerate() {
                let next = chain.rest.get(nth);
                let used = match (position, next) {
                    (Position::Condition, _) => Use::Handled,
                    (_, Some((Connector::Or, next)))
                        if self.pipeline_ending(next) != Ending::MayFail =>
                    {
                        Use::Handled
                    }
                    (_, Some(_)) => Use::Tested,
                    (Position::Last, None) if is_end => Use::Decides,
                    _ if self.options.exits_on_error => Use::Decides,
                    _ => Use::Ignored,
                };
                self.uses.push((pipeline, used));
                let inner = match used {
                    Use::Handled | Use::Tested => Position::Condition,
                    Use::Decides if is_end && position == Position::Last => Position::Last,
                    _ => Position::Before,
                };
                for command in &pipeline.commands {
                    self.walk_command(command, inner);
                }
            }
        }
    }

    fn walk_command(&mut self, command: &'l Command, position: Position) {
        match command {
            Command::Simple(_) => {}
            Command::Conditional { conditions, bodies } => {
                for list in conditions {
                    self.walk(list, Position::Condition);
                }
                for list in bodies {
                    self.walk(list, position);
                }
            }
            Command::Group(bodies) => {
                for list in bodies {
                    self.walk(list, position);
                }
            }
            Command::Function { name, body } => {
                self.functions.insert(name, body);
                self.walk_command(body, Position::Last);
            }
        }
    }

    /// A dump whose exit code is replaced by that of the next command of its pipeline.
    fn dump_in_pipeline(&self) -> Option<LostExitCode> {
        if self.options.has_pipefail || self.script.contains("PIPESTATUS") {
            return None;
        }
        self.uses.iter().find_map(|(pipeline, _)| {
            let (last, before) = pipeline.commands.split_last()?;
            let mut named: Vec<&[Word]> = Vec::new();
            for command in before {
                each_simple_of(command, &mut |words| named.push(words));
            }
            let named = named.into_iter().filter(|words| self.matters(words));
            let mut words = named.flatten();
            let (word, dump) = words.find_map(|word| Some((word, dump_in(&word.text)?)))?;
            let by = match words_of(last) {
                [] => "the last command".to_owned(),
                words => name_of(words).to_owned(),
            };
            Some(LostExitCode {
                at: word.at,
                message: format!(
                    "the Job succeeds even if {dump} fails: without pipefail, the exit code of the pipeline is that of {by}"
                ),
                help: "Begin the script with set -eo pipefail (bash and BusyBox have it), or write the dump to a file \
                       and process it with a second command.",
            })
        })
    }

    /// A command whose failure is ignored because the script continues, and ends with one that never fails.
    fn ignored_failure(&self, list: &'l List) -> Option<LostExitCode> {
        const CHECKS: [&str; 7] = [
            "$?",
            "exit 1",
            "exit $",
            "exit 2",
            "return 1",
            "trap ",
            "PIPESTATUS",
        ];
        let checks = CHECKS.iter().any(|check| self.script.contains(check));
        if self.options.exits_on_error || checks {
            return None;
        }
        let Ending::NeverFails(last) = self.ending(list, 0) else {
            return None;
        };
        let uses = self.uses.iter().filter(|(_, used)| *used != Use::Handled);
        let mut words = uses
            .flat_map(|(pipeline, _)| &pipeline.commands)
            .map(words_of);
        // The last one is most probably what the run is about.
        let words = words.rfind(|words| self.matters(words) && !is_notification(words))?;
        Some(LostExitCode {
            at: words.first()?.at,
            message: format!(
                "the Job succeeds even if {} fails: the script continues, and ends with {last}, which never fails",
                name_of(words)
            ),
            help: "Begin the script with set -e, so that it stops at the first command that fails.",
        })
    }

    fn curl_without_fail(&self) -> Option<LostExitCode> {
        // The script checks the status itself.
        if ["http_code", "response_code"]
            .iter()
            .any(|name| self.script.contains(name))
        {
            return None;
        }
        let count = |words: &&[Word]| self.matters(words) && !is_curl(words);
        let all = self
            .uses
            .iter()
            .flat_map(|(pipeline, _)| &pipeline.commands);
        let has_others = all.map(words_of).any(|words| count(&words));
        let decisive = self
            .uses
            .iter()
            .filter(|(_, used)| matches!(used, Use::Decides | Use::Tested));
        let mut curls = decisive.filter_map(|(pipeline, _)| {
            let words = words_of(pipeline.commands.last()?);
            is_curl(words).then_some(words)
        });
        let curl = curls.find(|words| {
            let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            let downloads = self.script.contains("chmod") || self.script.contains("tar ");
            ignores_http_errors(&texts)
                && !(has_others && is_notification(words))
                && !(downloads && writes_file(&texts))
        })?;
        Some(curl_lost(curl.first()?.at))
    }

    /// Whether the work of a run is lost if a command fails.
    fn matters(&self, words: &[Word]) -> bool {
        let name = name_of(words);
        !name.is_empty() && !MINOR.contains(&name) && !self.functions.contains_key(name)
    }

    fn ending(&self, list: &'l List, depth: usize) -> Ending<'l> {
        let mut chains = list.iter().rev();
        let last = chains.find(|chain| !is_definition(chain));
        let Some(chain) = last.filter(|_| depth < 20) else {
            return Ending::MayFail;
        };
        if chain.in_background {
            return Ending::NeverFails("&");
        }
        let mut ending = self.pipeline_ending_at(&chain.first, depth);
        for (connector, next) in &chain.rest {
            let next = self.pipeline_ending_at(next, depth);
            ending = match connector {
                Connector::And => ending.max(next),
                // What a failure is replaced by was chosen.
                Connector::Or if next < Ending::MayFail => Ending::Deliberate,
                Connector::Or => ending,
            };
        }
        ending
    }

    fn pipeline_ending(&self, pipeline: &'l Pipeline) -> Ending<'l> {
        self.pipeline_ending_at(pipeline, 0)
    }

    fn pipeline_ending_at(&self, pipeline: &'l Pipeline, depth: usize) -> Ending<'l> {
        match pipeline.commands.last() {
            Some(command) if !pipeline.is_negated => self.command_ending(command, depth + 1),
            _ => Ending::MayFail,
        }
    }

    fn command_ending(&self, command: &'l Command, depth: usize) -> Ending<'l> {
        let most = |lists: &'l [List]| {
            let endings = lists.iter().map(|list| self.ending(list, depth));
            endings.max().unwrap_or(Ending::MayFail)
        };
        match command {
            Command::Simple(words) => match (name_of(words), words.as_slice()) {
                (":" | "true", _) => Ending::Deliberate,
                ("exit" | "return", [_]) => Ending::MayFail,
                ("exit" | "return", [_, code]) if code.text == "0" => Ending::Deliberate,
                ("wait", [_]) => Ending::NeverFails("wait"),
                (name @ ("echo" | "printf" | "sleep" | "date"), _) => Ending::NeverFails(name),
                (name, _) => match self.functions.get(name) {
                    Some(body) if depth < 20 => self.command_ending(body, depth + 1),
                    _ => Ending::MayFail,
                },
            },
            Command::Conditional { bodies, .. } | Command::Group(bodies) => most(bodies),
            Command::Function { .. } => Ending::MayFail,
        }
    }
}

fn is_definition(chain: &Chain) -> bool {
    matches!(chain.first.commands.as_slice(), [Command::Function { .. }])
}

fn each_simple<'l>(list: &'l List, visit: &mut dyn FnMut(&'l [Word])) {
    for chain in list {
        let pipelines =
            std::iter::once(&chain.first).chain(chain.rest.iter().map(|(_, next)| next));
        for command in pipelines.flat_map(|pipeline| &pipeline.commands) {
            each_simple_of(command, visit);
        }
    }
}

fn each_simple_of<'l>(command: &'l Command, visit: &mut dyn FnMut(&'l [Word])) {
    match command {
        Command::Simple(words) => visit(words),
        Command::Conditional { conditions, bodies } => {
            for list in conditions.iter().chain(bodies) {
                each_simple(list, visit);
            }
        }
        Command::Group(bodies) => {
            for list in bodies {
                each_simple(list, visit);
            }
        }
        Command::Function { body, .. } => each_simple_of(body, visit),
    }
}

/// The words of a command; none of one that consists of others.
fn words_of(command: &Command) -> &[Word] {
    match command {
        Command::Simple(words) => words,
        _ => &[],
    }
}

/// The name of a command, without its folder, assignments before it, and what runs it.
fn name_of(words: &[Word]) -> &str {
    let mut words = words.iter().map(|word| word.text.as_str());
    let is_prefix = |word: &&str| {
        let name = word.split_once('=').map(|(name, _)| name);
        let is_assignment = name.is_some_and(|name| {
            !name.is_empty()
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        let is_number = word
            .trim_end_matches(['s', 'm', 'h'])
            .parse::<u32>()
            .is_ok();
        is_assignment
            || is_number
            || matches!(
                *word,
                "exec" | "time" | "timeout" | "sudo" | "nohup" | "nice" | "command" | "env"
            )
    };
    let name = words.find(|word| !is_prefix(word));
    base_name(name.unwrap_or_default())
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The dump that a word runs: `pg_dump`, or a text with it such as the script for `kubectl exec`.
fn dump_in(text: &str) -> Option<&'static str> {
    let mut words = text.split([' ', '\n', ';', '(']).map(base_name);
    words.find_map(|word| DUMPS.into_iter().find(|dump| *dump == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands whose failure is hidden, by what their messages begin with.
    fn lost(script: &str) -> Vec<String> {
        let lost = lost_exit_codes(script, ShellOptions::default());
        let words = |lost: LostExitCode| {
            let message = lost.message.replace("the Job succeeds even if ", "");
            message.split(' ').next().unwrap_or_default().to_owned()
        };
        lost.into_iter().map(words).collect()
    }

    #[test]
    fn dump_in_a_pipeline_needs_pipefail() {
        for script in [
            "pg_dump shop | gzip > /backup/shop.gz",
            "set -e\n/usr/bin/mysqldump --all-databases | gzip -c | aws s3 cp - s3://backup/x",
            "if pg_dump 2>&1 | gzip > f; then echo ok; else exit 1; fi",
            "PGPASSWORD=$P pg_dump -h db | gzip > f\nif [ $? -eq 0 ]; then echo ok; fi",
            "kubectl exec db-0 -- sh -c 'mongodump --archive' | gzip > f",
            "run() { pg_dumpall | zstd > f; }\nrun",
            "(pg_dump a; pg_dump b) | gzip > f",
            "kubectl exec db-0 -- bash -c '\n  pg_dump shop | gzip > /tmp/f &&\n  scp /tmp/f backup:'",
        ] {
            assert_eq!(lost(script).len(), 1, "{script}");
        }
        for script in [
            "set -eo pipefail\npg_dump shop | gzip > f",
            "pg_dump shop > f\ngzip f",
            "pg_dump shop | gzip > f; exit ${PIPESTATUS[0]}",
            "gzip -dc f | psql shop",
            "echo pg_dump | cat",
            "tar c /data | gzip > f",
        ] {
            assert_eq!(lost(script).len(), 0, "{script}");
        }
        let options = ShellOptions {
            has_pipefail: true,
            ..ShellOptions::default()
        };
        assert_eq!(lost_exit_codes("pg_dump shop | gzip > f", options), []);
    }

    #[test]
    fn curl_needs_fail_where_its_exit_code_counts() {
        for script in [
            "curl https://shop/run",
            "curl -sS -X POST \"$URL\" -d @f <<EOF\na\nEOF",
            "set -e\ncurl -s http://shop/run\necho done",
            "curl -s http://shop/run || exit 1",
            "curl -o /tmp/list http://shop/run",
            "f() {\n  curl -s $URL\n}\nf",
        ] {
            assert_eq!(lost(script), ["curl"], "{script}");
        }
        for script in [
            "curl -f https://shop/run",
            "curl -sSfL https://shop/run",
            "curl --fail-with-body https://shop/run",
            "curl $CURL_OPTS https://shop/run",
            "code=$(curl -s -w '%{http_code}' http://shop/run)\n[ $code = 200 ]",
            "curl -s http://shop/run | jq -e .ok",
            "curl -s http://shop/run || true",
            "until curl -s http://localhost:15021/ready; do sleep 1; done\n./run",
            "set -e\n./run\ncurl -s https://hooks.slack.com/x",
            "./run\ncurl -s -X POST http://localhost:15020/quitquitquit",
            "set -e\ncurl -Lo /bin/mc https://dl.min.io/mc\nchmod +x /bin/mc\nmc mirror a b",
            "curl -T f ftp://backup/f",
        ] {
            assert_eq!(lost(script).len(), 0, "{script}");
        }
        assert!(curl_alone(&["/usr/bin/curl", "-s", "http://shop/run"]).is_some());
        assert_eq!(curl_alone(&["curl", "-fsS", "http://shop/run"]), None);
        assert_eq!(curl_alone(&["wget", "http://shop/run"]), None);
        assert_eq!(curl_alone(&[]), None);
    }

    #[test]
    fn failure_is_ignored_if_the_script_ends_with_what_never_fails() {
        for (script, command) in [
            (
                "kubectl delete secret a\nkubectl create secret a\necho 'Secret updated'",
                "kubectl",
            ),
            ("rsync -a a b &\nrsync -a c d &\nwait", "rsync"),
            (
                "pip install x\npython x.py\ncurl -s https://hooks.slack.com/x\necho done",
                "python",
            ),
            (
                "kubectl get pods -o name | while read p; do kubectl delete $p; echo $p; done",
                "kubectl",
            ),
            (
                "./sync\nif [ -f report ]; then echo report; else echo none; fi",
                "sync",
            ),
            ("aws s3 sync a b\nlog() { echo $1; }\nlog done", "aws"),
            ("cd /data && ./clean && echo ok\ndate", "clean"),
        ] {
            assert_eq!(lost(script), [command], "{script}");
        }
        for script in [
            "set -e\n./sync\necho done",
            "set -euo pipefail\n./sync\necho done",
            "set -o errexit\n./sync\necho done",
            "./sync",
            "echo begin\n./sync",
            "./sync || exit 1\necho done",
            "./sync\nif [ $? -ne 0 ]; then exit 1; fi\necho done",
            "if ./sync; then echo ok; else echo failed; fi",
            // On purpose.
            "./sync || true\necho done",
            "./sync\nexit 0",
            "./sync\ntrue",
            "./sync || echo failed",
            "for x in a b; do ./sync $x; done",
            "rm -f /tmp/x\necho done",
            "echo only",
            "trap 'echo failed' ERR\n./sync\necho done",
            "what (is this",
        ] {
            assert_eq!(lost(script).len(), 0, "{script}");
        }
        let options = ShellOptions {
            exits_on_error: true,
            ..ShellOptions::default()
        };
        assert_eq!(lost_exit_codes("./sync\necho done", options), []);
    }
}
