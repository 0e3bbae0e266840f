//! Candidates for the next word of a command line, and the scripts that shells complete with.

use crate::support::prelude::*;

/// The output for kubectl if the last word is incomplete.
fn next(words: impl CommandLine) -> String {
    doctor(("__complete", words)).fine()
}

/// Only the candidates.
fn offered(words: &str) -> String {
    let printed = next(words);
    let lines = printed.lines().filter(|line| !line.starts_with(':'));
    let candidates: Vec<&str> = lines.map(|line| line.split('\t').next().unwrap()).collect();
    candidates.join(" ")
}

/// A line has the words of a command line and the expected candidates.
fn assert_offered(table: &str) {
    for line in table.trim().lines() {
        let (words, expected) = line.split_once("=>").unwrap();
        assert_eq!(offered(words), expected.trim(), "{words}");
    }
}

#[test]
fn verbs_are_completed() {
    insta::assert_snapshot!(next("res"));
    assert_offered(
        "
        -n shop expl => explain
        expain '' =>",
    );
    let command = cronjob_doctor::cli::command();
    let shown = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    let verbs = shown.map(clap::Command::get_name);
    assert_eq!(offered("''"), verbs.collect::<Vec<_>>().join(" "));
}

/// Some flags may be repeated. Without a verb, the flags of scan are offered. A word after `--` is not a flag.
#[test]
fn flags_are_completed_unless_already_given() {
    assert_offered(
        "
        suspend --dry => --dry-run
        scan -f a --fi => --filename --field-selector
        scan --quiet --q =>
        scan -q --q =>
        --problems => --problems-only
        trigger nightly -- --dry =>",
    );
}

#[test]
fn values_of_flags_are_completed() {
    assert_offered(
        "
        explain -o '' => wide json yaml
        explain --output j => json
        explain --output=y => yaml
        explain -Ao w => wide
        next --schedule @daily --time-zone Europe/Be => Europe/Belfast Europe/Belgrade Europe/Berlin
        completion z => zsh
        lint --explain starting-deadline-u => starting-deadline-under-10s starting-deadline-unset-stops starting-deadline-unset starting-deadline-under-every
        lint --severity '' => info warning error
        completion zsh '' =>
        explain a --what-if s => schedule= startingDeadlineSeconds= suspend= successfulJobsHistoryLimit=
        explain a --what-if=suspend=t => suspend=true
        explain --what-if concurrencyPolicy= => concurrencyPolicy=Allow concurrencyPolicy=Forbid concurrencyPolicy=Replace
        explain --what-if schedule=0 =>",
    );
    assert_starts!(offered("explain --kubernetes-version=1.3"), "1.37 ");
    assert_starts!(
        next("lint --explain=CJD40"),
        "CJD401\tstarting-deadline-zero\n"
    );
}

/// The shell completes the names of files, and the names of objects in files are not completed. Without a kubeconfig
/// there are no candidates and no messages.
#[test]
fn completion_reads_no_files_and_needs_no_kubeconfig() {
    for (words, expected) in [
        ("scan -f ''", ":0\n"),
        ("lint ''", ":0\n"),
        ("scan --kubeconfig=", ":0\n"),
        ("explain -f examples/cluster ''", ":4\n"),
        ("explain ''", ":4\n"),
        ("-n ''", ":4\n"),
        ("scan --context ''", ":4\n"),
        ("explain --kubeconfig=Cargo.toml ''", ":4\n"),
        ("explain --request-timeout=never ''", ":4\n"),
    ] {
        assert_eq!(next(words), expected, "{words}");
    }
}

/// The path of a kubeconfig with contexts of these names.
#[cfg(unix)]
fn contexts(file: &str, names: &[&str]) -> String {
    let contexts: Vec<serde_json::Value> = names
        .iter()
        .map(|name| json!({"name": name, "context": {"cluster": "a", "user": "a"}}))
        .collect();
    let config = json!({"apiVersion": "v1", "kind": "Config", "contexts": contexts});
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("completion");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(file);
    std::fs::write(&path, config.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

#[cfg(unix)]
#[test]
fn contexts_of_a_list_are_offered_once() {
    let config = contexts("list", &["prod-a", "prod-b", "test"]);
    for (begun, expected) in [
        ("p", "prod-a\nprod-b\n:4\n"),
        ("prod-a,", "prod-a,prod-b\nprod-a,test\n:4\n"),
        ("prod-a,test,prod-a", ":4\n"),
        (
            "prod-*,!",
            "prod-*,!prod-a\nprod-*,!prod-b\nprod-*,!test\n:4\n",
        ),
        ("test,!prod-a,!p", "test,!prod-a,!prod-b\n:4\n"),
    ] {
        let words = ["scan", "--kubeconfig", &config, "--context", begun];
        assert_eq!(next(words), expected, "{begun}");
    }
}

/// A kubeconfig may come from an untrusted source, and the kubectl scripts of shells execute the candidates.
#[cfg(unix)]
#[test]
fn hostile_context_names_are_not_offered_to_foreign_scripts() {
    let names = [
        "p$(touch x)`touch x`",
        "p q",
        "p'q",
        "p;q",
        "p\u{1b}[31mq",
        "p\u{202e}q",
        "p\nq",
        "p=q",
        "arn:aws:eks:eu:1:cluster/p@q",
    ];
    let config = contexts("harm", &names);
    let words = ["scan", "--kubeconfig", &config, "--context", ""];
    assert_eq!(next(words), "arn:aws:eks:eu:1:cluster/p@q\n:4\n");
    // Our own scripts quote names, but names with invisible characters are not offered.
    let ours = doctor(("__candidates", words)).fine();
    let shown = "p$(touch x)`touch x`\np q\np'q\np;q\np=q\narn:aws:eks:eu:1:cluster/p@q\n:4\n";
    assert_eq!(ours, shown);
}

/// Sources the script in a real bash, as a user does, and presses the tab key.
#[cfg(unix)]
mod a_real_bash {
    use std::process::{Command, Stdio};

    use super::contexts;

    /// The words that bash would insert, one per line.
    fn pressed(line: &str) -> String {
        let program = crate::support::run::binary();
        let script = format!(
            "source completions/kubectl-cronjob_doctor.bash\n\
             complete -p kubectl-cronjob_doctor > /dev/null || exit 1\n\
             COMP_LINE=\"$PROGRAM $LINE\" COMP_POINT=${{#COMP_LINE}}\n\
             COMP_WORDBREAKS=$' \\t\\n\"\\'@><=;|&(:'\n\
             compopt() {{ echo \"compopt $*\"; }}\n\
             _kubectl_cronjob_doctor '{program}'\n\
             printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash")
            .args(["--noprofile", "--norc", "-c", &script])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("HOME", "/no/such/folder")
            .env("PROGRAM", program)
            .env("LINE", line)
            .env_remove("KUBECONFIG")
            .stdin(Stdio::null())
            .output()
            .expect("the tests need bash");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn bash_inserts_verbs_flags_and_values() {
        assert_eq!(pressed("expl"), "explain\n");
        assert_eq!(pressed("suspend --dry"), "--dry-run\n");
        assert_eq!(pressed("explain --output j"), "json\n");
        assert_eq!(pressed("explain -o "), "wide\njson\nyaml\n");
        // Bash treats the part before the equals sign as a separate word.
        assert_eq!(pressed("explain --output=j"), "json\n");
        assert_eq!(pressed("scan -f "), "compopt -o default\n\n");
        assert_eq!(pressed("explain "), "\n");
    }

    /// Bash treats the inserted text as one word and executes no part of it.
    #[test]
    fn bash_inserts_quoted_names() {
        let config = contexts(
            "quoted",
            &["p$(touch x)`touch x`", "my cluster", "it's", "a!b"],
        );
        let scan =
            |context: &str| pressed(&format!("scan --kubeconfig {config} --context{context}"));
        assert_eq!(scan(" p"), "p\\$\\(touch\\ x\\)\\`touch\\ x\\`\n");
        assert_eq!(scan("=m"), "my\\ cluster\n");
        // The typed text may be quoted in any way.
        assert_eq!(scan(" my\\ c"), "my\\ cluster\n");
        assert_eq!(scan(" 'my c"), "my cluster\n");
        assert_eq!(scan(" \"my c"), "my cluster\n");
        assert_eq!(scan(" i"), "it\\'s\n");
        assert_eq!(scan(" 'i"), "\n");
        assert_eq!(scan(" \"p"), "\n");
        assert_eq!(scan(" \"a"), "\n");
    }

    /// Bash replaces only what follows the last character that ends a word for it.
    #[test]
    fn bash_inserts_names_with_colons_and_at_signs() {
        let config = contexts("colons", &["arn:aws:eks:eu:1:cluster/a", "me@kubernetes"]);
        let scan =
            |context: &str| pressed(&format!("scan --kubeconfig {config} --context{context}"));
        assert_eq!(scan(" a"), "arn:aws:eks:eu:1:cluster/a\n");
        assert_eq!(scan(" arn:aws:e"), "eks:eu:1:cluster/a\n");
        assert_eq!(scan("=arn:"), "aws:eks:eu:1:cluster/a\n");
        assert_eq!(scan(" me@"), "@kubernetes\n");
        assert_eq!(scan("=me@k"), "@kubernetes\n");
    }

    /// With readline, and then the enter key.
    #[cfg(target_os = "linux")]
    #[test]
    fn bash_executes_nothing_of_a_completed_name() {
        use std::io::Write as _;

        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("completion");
        std::fs::create_dir_all(&folder).unwrap();
        let proof = folder.join("executed");
        let _ = std::fs::remove_file(&proof);
        let touch = format!("touch {}", proof.display());
        let config = contexts("executed.yaml", &[&format!("p$({touch})`{touch}`;{touch}")]);
        let program = std::path::Path::new(crate::support::run::binary())
            .parent()
            .unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
        let Ok(mut child) = Command::new("script")
            .args(["--quiet", "--return", "--command"])
            .args(["bash --noprofile --norc -i", "/dev/null"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env_clear()
            .env("PATH", path)
            .env("HOME", "/no/such/folder")
            .env("TERM", "dumb")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
        else {
            return test_requirements::TERMINAL.skip();
        };
        let keys = format!(
            "source completions/kubectl-cronjob_doctor.bash\n\
             kubectl-cronjob_doctor scan --kubeconfig {config} --context p\t\nexit\n"
        );
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(keys.as_bytes()).unwrap();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        let shown = String::from_utf8_lossy(&output.stdout);
        // The name was inserted completely, and passed to the program unchanged.
        assert!(
            shown.contains("error: ") && shown.contains(&format!("p$({touch})")),
            "{shown}"
        );
        assert!(!proof.exists(), "{shown}");
    }
}
