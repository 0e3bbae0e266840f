//! What may come next on a command line, and the scripts that shells ask with.

use crate::support;

use support::run::doctor;

/// What kubectl would be told, with the last of the words begun.
fn next(words: &[&str]) -> String {
    let words = [&["__complete"], words].concat();
    doctor(&words).fine()
}

/// The candidates alone.
fn offered(words: &[&str]) -> Vec<String> {
    let told = next(words);
    let lines = told.lines().filter(|line| !line.starts_with(':'));
    let word = |line: &str| line.split('\t').next().unwrap().to_owned();
    lines.map(word).collect()
}

#[test]
fn verbs() {
    assert_eq!(
        next(&["res"]),
        "resume\tResume CronJobs, and say which missed run starts, or skip it\n:4\n"
    );
    assert_eq!(offered(&["-n", "shop", "expl"]), ["explain"]);
    assert_eq!(offered(&["expain", ""]), [""; 0]);
    let all = offered(&[""]);
    let command = cronjob_doctor::cli::command();
    let verbs: Vec<&str> = command
        .get_subcommands()
        .map(clap::Command::get_name)
        .collect();
    assert_eq!(all, verbs);
}

#[test]
fn flags() {
    assert_eq!(offered(&["suspend", "--dry"]), ["--dry-run"]);
    // Some may be said again.
    assert_eq!(
        offered(&["scan", "-f", "a", "--fi"]),
        ["--field-selector", "--filename"]
    );
    assert_eq!(offered(&["scan", "--quiet", "--q"]), [""; 0]);
    assert_eq!(offered(&["scan", "-q", "--q"]), [""; 0]);
    // Without a verb they are those of scan.
    assert_eq!(offered(&["--problems"]), ["--problems-only"]);
    // A word after -- is none.
    assert_eq!(offered(&["trigger", "nightly", "--", "--dry"]), [""; 0]);
}

#[test]
fn values() {
    assert_eq!(offered(&["explain", "-o", ""]), ["wide", "json", "yaml"]);
    assert_eq!(offered(&["explain", "--output", "j"]), ["json"]);
    assert_eq!(offered(&["explain", "--output=y"]), ["yaml"]);
    assert_eq!(offered(&["explain", "-Ao", "w"]), ["wide"]);
    assert_eq!(
        offered(&["next", "--schedule", "@daily", "--time-zone", "Europe/Be"]),
        ["Europe/Belfast", "Europe/Belgrade", "Europe/Berlin"]
    );
    assert_eq!(offered(&["explain", "--kubernetes-version=1.3"])[0], "1.37");
    assert_eq!(offered(&["completion", "z"]), ["zsh"]);
    assert_eq!(offered(&["completion", "zsh", ""]), [""; 0]);
}

#[test]
fn files_are_the_shells_business() {
    for words in [
        &["scan", "-f", ""][..],
        &["lint", ""],
        &["scan", "--kubeconfig="],
    ] {
        assert_eq!(next(words), ":0\n");
    }
    // And the names of what is in them are nobody's.
    assert_eq!(next(&["explain", "-f", "examples/cluster", ""]), ":4\n");
}

/// Without a kubeconfig there is nothing to say, and nothing is said.
#[test]
fn without_a_cluster() {
    for words in [
        &["explain", ""][..],
        &["-n", ""],
        &["scan", "--context", ""],
        &["explain", "--kubeconfig=Cargo.toml", ""],
        &["explain", "--request-timeout=never", ""],
    ] {
        assert_eq!(next(words), ":4\n");
    }
}

/// Sources the script in a real bash, as a user does, and presses the tab key.
#[cfg(unix)]
#[test]
fn a_real_bash() {
    use std::process::{Command, Stdio};

    let program = env!("CARGO_BIN_EXE_kubectl-cronjob_doctor");
    let pressed = |line: &str| {
        let script = format!(
            "source completions/kubectl-cronjob_doctor.bash\n\
             complete -p kubectl-cronjob_doctor > /dev/null || exit 1\n\
             COMP_LINE='{program} {line}' COMP_POINT=${{#COMP_LINE}}\n\
             compopt() {{ echo \"compopt $*\"; }}\n\
             _kubectl_cronjob_doctor '{program}'\n\
             printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash")
            .args(["--noprofile", "--norc", "-c", &script])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("HOME", "/no/such/folder")
            .env_remove("KUBECONFIG")
            .stdin(Stdio::null())
            .output()
            .expect("the tests need bash");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(pressed("expl"), "explain\n");
    assert_eq!(pressed("suspend --dry"), "--dry-run\n");
    assert_eq!(pressed("explain --output j"), "json\n");
    assert_eq!(pressed("explain -o "), "wide\njson\nyaml\n");
    // Bash itself takes what stands before the equals sign for a word of its own.
    assert_eq!(pressed("explain --output=j"), "json\n");
    assert_eq!(pressed("scan -f "), "compopt -o default\n\n");
    assert_eq!(pressed("explain "), "\n");
}
