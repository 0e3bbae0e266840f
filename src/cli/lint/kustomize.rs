//! `-k`: a kustomization as the installed kubectl or kustomize renders it.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::bail;

use crate::cli::diagnostic::Diagnostic;
use crate::printable::{printable, shortened};

/// The programs that render kustomizations, in the order in which they are tried, with their subcommands.
const PROGRAMS: [(&str, &str); 2] = [("kubectl", "kustomize"), ("kustomize", "build")];

/// What a program may take.
#[derive(Clone, Copy)]
struct Limits {
    /// The most bytes of output.
    output: u64,
    /// The most time.
    time: Duration,
}

/// Remote bases are cloned with Git, which takes its time.
const LIMITS: Limits = Limits {
    output: 256 << 20,
    time: Duration::from_secs(120),
};

/// The most bytes of a program's messages that are kept.
const LONGEST_MESSAGES: u64 = 64 << 10;

/// The rendered manifests of a kustomization. No shell is involved, and the directory is not interpreted as a flag.
pub(super) fn render(directory: &Path) -> anyhow::Result<Vec<u8>> {
    let shown = directory.display();
    for (program, subcommand) in PROGRAMS {
        let started = Command::new(program)
            .args([subcommand, "--"])
            .arg(directory)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let why = match started {
            Ok(child) => match output(child, LIMITS) {
                Ok(rendered) => return Ok(rendered),
                Err(why) => why,
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => format!("cannot be started: {error}"),
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

/// What a program prints, or why there is nothing to use.
fn output(mut child: Child, limits: Limits) -> Result<Vec<u8>, String> {
    let rendered = wait(&mut child, limits);
    if rendered.is_err() {
        // It may have exited.
        let _ = child.kill();
        let _ = child.wait();
    }
    rendered
}

fn wait(child: &mut Child, limits: Limits) -> Result<Vec<u8>, String> {
    let unread = |error: io::Error| format!("cannot read its output: {error}");
    let late = || format!("not finished after {}s", limits.time.as_secs());
    let deadline = Instant::now() + limits.time;
    let left = || deadline.saturating_duration_since(Instant::now());
    let stdout = child
        .stdout
        .take()
        .map(|pipe| read(pipe, limits.output + 1));
    let stderr = child.stderr.take().map(|pipe| read(pipe, LONGEST_MESSAGES));
    let mut texts = Vec::new();
    for pipe in [stdout, stderr].into_iter().flatten() {
        let text = pipe.recv_timeout(left()).map_err(|_| late())?;
        let text = text.map_err(unread)?;
        if text.len() as u64 > limits.output {
            return Err(format!("printed more than {} MiB", limits.output >> 20));
        }
        texts.push(text);
    }
    let status = loop {
        match child.try_wait().map_err(unread)? {
            Some(status) => break status,
            None if left().is_zero() => return Err(late()),
            // It has closed its output, so it is about to exit.
            None => thread::sleep(Duration::from_millis(5)),
        }
    };
    let messages = texts.pop().unwrap_or_default();
    if status.success() {
        return Ok(texts.pop().unwrap_or_default());
    }
    let messages = message(&String::from_utf8_lossy(&messages));
    Err(match (messages.is_empty(), status.code()) {
        (false, _) => messages,
        (true, Some(code)) => format!("exited with status {code}"),
        (true, None) => format!("was terminated: {status}"),
    })
}

/// Reads a pipe in the background, up to a number of bytes. What follows is discarded, so that the program does
/// not wait for a reader.
fn read(mut pipe: impl Read + Send + 'static, most: u64) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut text = Vec::new();
        let read = pipe.by_ref().take(most).read_to_end(&mut text);
        // Nobody listens after a timeout.
        let _ = sender.send(read.map(|_| text));
        let _ = io::copy(&mut pipe, &mut io::sink());
    });
    receiver
}

/// The messages of a program in one line, without what our own error already says.
fn message(text: &str) -> String {
    const LONGEST: usize = 2_000;
    let lines = text.lines().map(str::trim);
    // kustomize writes warnings about deprecated fields as comments.
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let text = lines.collect::<Vec<_>>().join(" ");
    let text = ["error: ", "Error: "]
        .iter()
        .find_map(|label| text.strip_prefix(label))
        .unwrap_or(&text);
    shortened(&printable(text), LONGEST)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn ran(script: &str, limits: Limits) -> Result<String, String> {
        let child = Command::new("/bin/sh")
            .args(["-c", script])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        output(child, limits).map(|text| String::from_utf8(text).unwrap())
    }

    const FEW: Limits = Limits {
        output: 1 << 20,
        time: Duration::from_secs(60),
    };

    #[test]
    fn output_and_messages_of_a_program() {
        assert_eq!(ran("echo a; echo b >&2", FEW), Ok("a\n".to_owned()));
        assert_eq!(
            ran(
                "printf '# Warning: old\\nError: no\\n\\n  such file\\n' >&2; exit 3",
                FEW
            ),
            Err("no such file".to_owned())
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
            time: Duration::ZERO,
            ..FEW
        };
        for script in ["exec sleep 600", "exec >&- 2>&-; exec sleep 600"] {
            let ended = ran(script, short);
            assert_eq!(ended, Err("not finished after 0s".to_owned()), "{script}");
        }
    }
}
