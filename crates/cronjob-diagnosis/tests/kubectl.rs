//! Commands to paste into a shell.

use cronjob_diagnosis::kubectl::{Kubectl, Note, PLAIN, Remedy};

#[test]
fn remedy_has_each_command_alone() {
    let mut kubectl = Kubectl::default();
    kubectl.secret("--token");
    let end = kubectl.command("delete job").name("a  # b; kubectl x");
    let show = kubectl.command("get job").name("a'  # b");
    let remedy = Remedy::from(show.or("to end it", end.comment("nothing starts then")));
    let delete = "kubectl delete job 'a  # b; kubectl x'";
    let note = |text: &str, command: Option<&str>| Note {
        text: text.into(),
        command: command.map(str::to_owned),
    };
    let command = remedy.command.as_deref();
    assert_eq!(command, Some("kubectl get job \"a'  # b\""));
    let notes = [
        note("add --token", None),
        note("to end it", Some(delete)),
        note("nothing starts then", None),
    ];
    assert_eq!(remedy.notes, notes);
    let expected = format!(
        "kubectl get job \"a'  # b\"  # add --token; to end it: {delete}; nothing starts then"
    );
    assert_eq!(remedy.text, expected);
    assert_eq!(remedy.brief().notes, []);
    let change = PLAIN.command("delete job").name("a").comment("b");
    let change = Remedy::from(change);
    assert_eq!(change.clone().brief(), change);
    let sentence = Remedy::from("Say kubectl  # nothing.");
    assert_eq!(sentence.command, None);
    assert_eq!(sentence.text, "Say kubectl  # nothing.");
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
    let flags =
        "--kubeconfig '/home/me/my clusters' --context prod --as=-me --insecure-skip-tls-verify";
    let kubectl = production();
    let delete = kubectl.command("delete job").namespace("shop").name("x");
    let expected = format!("kubectl delete job x -n shop {flags}");
    assert_eq!(delete.to_string(), expected);
    let resume = kubectl.doctor("resume").namespace("shop").name("x");
    let resume = resume.with("--catch-up=skip");
    let expected = format!("kubectl cronjob-doctor resume x -n shop {flags} --catch-up=skip");
    assert_eq!(resume.to_string(), expected);
    assert_eq!(PLAIN.command("get nodes").to_string(), "kubectl get nodes");
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
        let from = &format!("--from={word}");
        let inline = &format!("--namespace={word}");
        let expected = if word.starts_with('-') {
            vec![
                "kubectl", "patch", from, inline, "-p", word, "--", word, word,
            ]
        } else {
            vec!["kubectl", "patch", word, word, from, "-n", word, "-p", word]
        };
        assert_eq!(split, expected, "{command}");
    }
    let nul = PLAIN.command("get job").name("a\0b").to_string();
    assert_eq!(nul, "kubectl get job 'a\u{fffd}b'");
}

#[test]
fn alternative_command_becomes_a_comment_in_one_line() {
    let end = PLAIN.command("delete job").name("a\nrm -rf /");
    let show = PLAIN.command("get job").name("b").or("or", end).to_string();
    let expected = r"kubectl get job b  # or: kubectl delete job 'a\nrm -rf /'";
    assert_eq!(show, expected);
}
