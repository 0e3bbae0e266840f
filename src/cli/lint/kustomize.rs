//! `-k`: a kustomization as the installed kubectl or kustomize renders it.

use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::bail;
use tokio::process::Command;
use tokio::runtime::Builder;

use crate::cli::diagnostic::Diagnostic;
use crate::cli::interrupt::SIGNALS;
use cronjob_text::printable::{printable, shortened};
use kube_access::process::{self, Limits, ProcessError};

/// The programs that render kustomizations, in the order in which they are tried, with their subcommands.
const PROGRAMS: [(&str, &str); 2] = [("kubectl", "kustomize"), ("kustomize", "build")];

/// Remote bases are cloned with Git, which takes its time.
const LIMITS: Limits = Limits {
    output: 256 << 20,
    messages: 64 << 10,
    time: Some(Duration::from_secs(120)),
};

/// The rendered manifests of a kustomization. No shell is involved, and the directory is not interpreted as a flag.
pub(super) fn render(directory: &Path) -> anyhow::Result<Vec<u8>> {
    let shown = directory.display();
    for (program, subcommand) in PROGRAMS {
        let mut command = Command::new(program);
        command.args([subcommand, "--"]).arg(directory);
        let why = match output(&mut command, LIMITS) {
            Ok(rendered) => return Ok(rendered),
            Err(ProcessError::Start(error)) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => error.to_string(),
        };
        bail!("cannot render {shown}: {program} {subcommand}: {why}");
    }
    bail!(
        Diagnostic::new(format!(
            "cannot render {shown}: neither kubectl nor kustomize is installed"
        ))
        .help("Install one of them, or pipe the rendered manifests to `lint -`.")
    )
}

/// What a program prints. A signal that ends this program ends that one, too.
fn output(command: &mut Command, limits: Limits) -> Result<Vec<u8>, ProcessError> {
    command.stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    // Outside the process group of the terminal, Git and SSH would be stopped when they ask for a password.
    command.env("GIT_TERMINAL_PROMPT", "0");
    command.env("SSH_ASKPASS_REQUIRE", "force");
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
    // It stays, because the handlers of signals stay.
    let runtime = Box::leak(Box::new(runtime.map_err(ProcessError::Start)?));
    SIGNALS.listen_to_ctrl_c(runtime.handle());
    SIGNALS.listen_to_all(runtime.handle());
    let output = runtime.block_on(process::run(command, limits))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let messages = message(&String::from_utf8_lossy(&output.stderr));
    Err(ProcessError::Failed(
        match (messages.is_empty(), output.status.code()) {
            (false, _) => messages,
            (true, Some(code)) => format!("exited with status {code}"),
            (true, None) => format!("was terminated: {}", output.status),
        },
    ))
}

/// The messages of a program in one line, without what our own error already says.
fn message(text: &str) -> String {
    const LONGEST: usize = 2_000;
    let lines = text.lines().map(str::trim);
    // kustomize writes warnings about deprecated fields as comments.
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let lines = lines.map(without_log_header);
    let text = lines.collect::<Vec<_>>().join(" ");
    let text = ["error: ", "Error: "]
        .iter()
        .find_map(|label| text.strip_prefix(label))
        .unwrap_or(&text);
    shortened(&printable(text), LONGEST)
}

/// A line of a log of Kubernetes without its beginning: `E1121 12:00:05.000000    4711 helpers.go:10] `.
fn without_log_header(line: &str) -> &str {
    let Some((header, message)) = line.split_once("] ") else {
        return line;
    };
    let words: Vec<&str> = header.split_whitespace().collect();
    let is_date = |word: &str| {
        word.len() == 5
            && word.starts_with(['I', 'W', 'E', 'F'])
            && word.ends_with(|c: char| c.is_ascii_digit())
    };
    match words[..] {
        [date, time, thread, _place]
            if is_date(date) && time.contains(':') && thread.parse::<u32>().is_ok() =>
        {
            message
        }
        _ => line,
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn ran(script: &str, limits: Limits) -> Result<String, String> {
        let mut command = Command::new("/bin/sh");
        let output = output(command.args(["-c", script]), limits);
        let output = output.map_err(|error| error.to_string())?;
        Ok(String::from_utf8(output).unwrap())
    }

    const FEW: Limits = Limits {
        output: 1 << 20,
        ..LIMITS
    };

    #[test]
    fn failed_program_is_reported_with_its_last_message() {
        assert_eq!(ran("echo a; echo b >&2", FEW), Ok("a\n".to_owned()));
        assert_eq!(
            ran(
                "printf '# Warning: old\\nError: no\\n\\n  such file\\n' >&2; exit 3",
                FEW
            ),
            Err("no such file".to_owned())
        );
        let logged = "E1121 12:00:05.000001    4711 run.go:72] \"command failed\" err=[a] b";
        assert_eq!(
            ran(&format!("echo '{logged}' >&2; exit 1"), FEW),
            Err("\"command failed\" err=[a] b".to_owned())
        );
        assert_eq!(ran("exit 3", FEW), Err("exited with status 3".to_owned()));
        // More messages than are kept do not block the program.
        assert_eq!(
            ran("head -c 1000000 /dev/zero >&2; echo a", FEW),
            Ok("a\n".to_owned())
        );
    }

    #[test]
    fn program_without_end_is_killed() {
        assert_eq!(
            ran("exec cat /dev/zero", FEW),
            Err("printed more than 1 MiB".to_owned())
        );
        let short = Limits {
            time: Some(Duration::ZERO),
            ..FEW
        };
        let scripts = [
            "exec sleep 600",
            "exec >&- 2>&-; exec sleep 600",
            "sleep 600 & wait",
        ];
        for script in scripts {
            let ended = ran(script, short);
            assert_eq!(ended, Err("not finished after 0s".to_owned()), "{script}");
        }
    }
}
