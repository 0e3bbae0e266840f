//! A PostgreSQL server for one test.

use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use cronjob_doctor::recorder::{RunStore, StoreLocation};
use tempfile::TempDir;
use test_requirements::POSTGRESQL;

use super::apiserver::{Authority, ServerCertificate};
use super::control_plane::wait_until;
use super::signal;

pub(crate) const PASSWORD: &str = "s3cret";

/// A server that runs until it is dropped, with TLS.
pub(crate) struct Postgres {
    programs: PathBuf,
    /// In the temporary folder of the machine, which every user may enter.
    folder: TempDir,
    port: u16,
    server: Option<Child>,
}

/// The newest programs of Debian's package.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let folders = versions.flatten().map(|version| version.path().join("bin"));
    folders
        .filter(|folder| folder.join("initdb").exists())
        .max()
}

/// A command that runs as another user if this one is root, because PostgreSQL does not start as root.
fn unprivileged(program: &Path) -> Command {
    if fs::metadata("/proc/self").is_ok_and(|own| own.uid() != 0) {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    let user = ["--reuid=postgres", "--regid=postgres", "--clear-groups"];
    command.args(user).arg(program);
    command
}

impl Postgres {
    /// Starts one; `None` where it is not installed.
    pub(crate) fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            POSTGRESQL.skip();
            return None;
        };
        let folder = TempDir::with_prefix("postgres").unwrap();
        let password = folder.path().join("password");
        fs::write(&password, PASSWORD).unwrap();
        let authority = Authority::new(ServerCertificate::Signed);
        let pair = authority.server(ServerCertificate::Signed);
        for (file, text) in [
            ("authority.pem", authority.pem()),
            ("server.pem", &pair.certificate),
            ("key.pem", &pair.key),
        ] {
            let file = folder.path().join(file);
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
        }
        let _ = Command::new("chown")
            .arg("-R")
            .arg("postgres")
            .arg(folder.path())
            .output();
        let made = unprivileged(&programs.join("initdb"))
            .args([
                "--no-sync",
                "-A",
                "scram-sha-256",
                "-U",
                "doctor",
                "--pwfile",
            ])
            .arg(&password)
            .arg("-D")
            .arg(folder.path().join("data"))
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(
            made.status.success(),
            "{}",
            String::from_utf8_lossy(&made.stderr)
        );
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut server = Postgres {
            programs,
            folder,
            port: port.local_addr().unwrap().port(),
            server: None,
        };
        drop(port);
        server.run();
        Some(server)
    }

    /// Runs it again after it was stopped.
    pub(crate) fn run(&mut self) {
        let port = self.port.to_string();
        let server = unprivileged(&self.programs.join("postgres"))
            .args(["-F", "-c", "listen_addresses=127.0.0.1", "-p", &port])
            .args(["-c", "ssl=on", "-c", "ssl_cert_file=../server.pem"])
            .args(["-c", "ssl_key_file=../key.pem", "-D"])
            .arg(self.folder.path().join("data"))
            .arg("-k")
            .arg(self.folder.path())
            .current_dir(self.folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.server = Some(server.unwrap());
        let is_ready = || {
            let ready = Command::new(self.programs.join("pg_isready"))
                .args(["-q", "-h", "127.0.0.1", "-p", &port])
                .status();
            ready.is_ok_and(|status| status.success())
        };
        wait_until("PostgreSQL is ready", is_ready);
    }

    /// Stops it immediately, with all connections.
    pub(crate) fn stop(&mut self) {
        if let Some(mut server) = self.server.take() {
            signal::send("QUIT", server.id());
            server.wait().unwrap();
        }
    }

    /// The URL without a password, and with these parameters.
    pub(crate) fn url(&self, parameters: &str) -> String {
        let port = self.port;
        format!("postgres://doctor@localhost:{port}/postgres?{parameters}")
    }

    /// The URL of a client that checks the certificate.
    pub(crate) fn checked_url(&self) -> String {
        let authority = self.folder.path().join("authority.pem");
        self.url(&format!(
            "sslmode=verify-full&sslrootcert={}",
            authority.display()
        ))
    }

    pub(crate) fn location(&self) -> StoreLocation {
        StoreLocation::read(&self.checked_url(), Some(PASSWORD.to_owned())).unwrap()
    }

    pub(crate) fn read(&self) -> RunStore {
        self.location().open().unwrap()
    }

    pub(crate) fn write(&self) -> RunStore {
        self.location().create().unwrap()
    }

    /// Executes a statement.
    pub(crate) fn execute(&self, sql: &str) {
        let ran = Command::new(self.programs.join("psql"))
            .args([
                "-h",
                "127.0.0.1",
                "-p",
                &self.port.to_string(),
                "-U",
                "doctor",
                "postgres",
                "-c",
                sql,
            ])
            .env("PGPASSWORD", PASSWORD)
            .output()
            .unwrap();
        assert!(
            ran.status.success(),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.stop();
    }
}
