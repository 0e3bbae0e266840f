//! Runs a program with limits, and ends it with all processes that it started.

mod group;

use std::io;
use std::process::Output;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, copy, sink};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use group::Group;
pub(crate) use group::terminate;

/// The limits of a program that is run.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub output: u64,
    /// The most bytes of messages that are kept.
    pub messages: u64,
    pub time: Option<Duration>,
}

/// Why a program has no output.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    #[error("cannot be started: {0}")]
    Start(io::Error),
    #[error("not finished after {}s", _0.as_secs())]
    Late(Duration),
    #[error("printed more than {} MiB", _0 >> 20)]
    TooMuch(u64),
    #[error("cannot read its output: {0}")]
    Unread(#[from] io::Error),
    #[error("{0}")]
    Failed(String),
}

/// Runs a program in a process group of its own, which a terminal's Ctrl-C does not reach. When it fails or the
/// future is dropped, the group is killed.
pub async fn run(command: &mut Command, limits: Limits) -> Result<Output, ProcessError> {
    let started = Group::spawn(command.kill_on_drop(true));
    let (child, group) = started.map_err(ProcessError::Start)?;
    let output = in_time(child, limits).await?;
    group.release();
    Ok(output)
}

/// Runs a program in the process group of this one, so that it can use the terminal.
pub(crate) async fn run_in_foreground(
    command: &mut Command,
    limits: Limits,
) -> Result<Output, ProcessError> {
    let started = command.kill_on_drop(true).spawn();
    in_time(started.map_err(ProcessError::Start)?, limits).await
}

async fn in_time(child: Child, limits: Limits) -> Result<Output, ProcessError> {
    let output = output(child, limits);
    match limits.time {
        None => output.await,
        Some(time) => timeout(time, output)
            .await
            .map_err(|_| ProcessError::Late(time))?,
    }
}

async fn output(mut child: Child, limits: Limits) -> Result<Output, ProcessError> {
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    // What is not kept is discarded, so that the program does not wait for a reader.
    let messages = tokio::spawn(async move {
        let mut text = Vec::new();
        if let Some(mut stderr) = stderr {
            text = read(&mut stderr, limits.messages).await?;
            copy(&mut stderr, &mut sink()).await?;
        }
        io::Result::Ok(text)
    });
    let mut text = Vec::new();
    if let Some(mut stdout) = stdout {
        text = read(&mut stdout, limits.output + 1).await?;
    }
    if text.len() as u64 > limits.output {
        return Err(ProcessError::TooMuch(limits.output));
    }
    Ok(Output {
        status: child.wait().await?,
        stdout: text,
        stderr: messages.await.map_err(io::Error::other)??,
    })
}

async fn read(stream: &mut (impl AsyncRead + Unpin), most: u64) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    stream.take(most).read_to_end(&mut text).await?;
    Ok(text)
}

#[cfg(all(test, unix))]
mod tests {
    use std::sync::mpsc::{RecvTimeoutError, channel};
    use std::thread;

    use super::*;

    #[test]
    fn end_of_a_terminated_program_is_seen_only_after_the_handler() {
        const LIMITS: Limits = Limits {
            output: 10,
            messages: 10,
            time: None,
        };
        let (sender, results) = channel();
        let (lines, started) = channel();
        let running = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            let mut command = Command::new("/bin/sh");
            command.args(["-c", "exec sleep 300"]);
            runtime.block_on(async {
                let program = run(&mut command, LIMITS);
                let mut program = std::pin::pin!(program);
                // The first poll starts it.
                let began = timeout(Duration::ZERO, program.as_mut()).await;
                lines.send(began.is_err()).unwrap();
                sender
                    .send(program.await.map(|output| output.status.success()))
                    .unwrap();
            });
        });
        assert!(started.recv().unwrap());
        terminate(|| {
            let early = results.recv_timeout(Duration::from_millis(300));
            assert!(matches!(early, Err(RecvTimeoutError::Timeout)), "{early:?}");
        });
        assert!(matches!(results.recv().unwrap(), Ok(false)));
        running.join().unwrap();
    }
}
