//! Runs in a PostgreSQL database, for several replicas.
//!
//! One of them writes. It holds a lease: a row that it renews in the transaction of each change, and that another one
//! takes once it has expired. So nothing is written by a replica that was suspended or cut off in the meantime.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::error::Error;
use std::fmt;
use std::fs;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Config, NoTls};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::password_file;
use super::{SCHEMA, check_version};
use crate::recorder::database::{Database, DatabaseError, Parameter, ReadRow, StoredRow};
use crate::recorder::error::{StoreError, VERSION};
use crate::recorder::location::DatabaseAddress;
use crate::recorder::store::RunStore;

/// The longest wait for a response.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a URL is not accepted whose parts could be a part of the password.
const UNENCODED: &str =
    "not a valid URL; special characters in user name and password must be percent-encoded";

/// The largest file of certificate authorities, in bytes.
const LARGEST_AUTHORITIES: u64 = 16 << 20;

/// A transaction of a suspended replica ends before its lease does.
const SESSION: &str = "SET search_path TO cronjob_doctor; SET statement_timeout TO '10s'; \
                       SET idle_in_transaction_session_timeout TO '20s'";

/// Replicas that start together create the tables one after the other.
const BEGIN_CREATION: &str = "BEGIN; SELECT pg_advisory_xact_lock(1668965490)";
const COUNT_SCHEMAS: &str =
    "SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = 'cronjob_doctor'";
const COUNT_TABLES: &str = "SELECT count(*) FROM pg_catalog.pg_tables \
                            WHERE schemaname = 'cronjob_doctor' AND tablename = 'recorder'";

/// Takes or renews the lease, by the clock of the database.
const TAKE_LEASE: &str = "UPDATE recorder SET holder = ?1, expires_at = clock_timestamp() + INTERVAL '30 s' \
                          WHERE holder IS NULL OR holder = ?1 OR expires_at < clock_timestamp() RETURNING version";
const RELEASE_LEASE: &str = "UPDATE recorder SET holder = NULL WHERE holder = ?1";

/// Drives the connections while a request waits.
static RUNTIME: LazyLock<io::Result<Runtime>> =
    LazyLock::new(|| Builder::new_current_thread().enable_all().build());

/// The URL of a database.
#[derive(Clone)]
pub(super) struct PostgresUrl {
    config: Config,
    /// The certificate authorities, instead of those of the system.
    authorities: Option<PathBuf>,
}

/// A connection, which is made again after an error. Its methods block.
pub(super) struct PostgresSession {
    url: PostgresUrl,
    /// Who writes; `None` to read.
    holder: Option<String>,
    /// Whether it has held the lease.
    has_held: Cell<bool>,
    client: RefCell<Option<Client>>,
}

impl PostgresUrl {
    /// Reads a URL; `None` for other text. Errors never contain a part of it, which might be the password.
    pub(super) fn read(text: &str, password: Option<String>) -> Option<Result<Self, StoreError>> {
        let (scheme, address) = text.split_once("://")?;
        let mut schemes = ["postgres", "postgresql"].into_iter();
        schemes
            .any(|known| scheme.eq_ignore_ascii_case(known))
            .then(|| PostgresUrl::parse(address, password).map_err(StoreError::Url))
    }

    /// What is not known to the library is handled here: a certificate is always checked, with its host.
    fn parse(text: &str, password: Option<String>) -> Result<Self, &'static str> {
        let (address, query) = text.split_once('?').unwrap_or((text, ""));
        let (mut authorities, mut others) = (None, Vec::new());
        for option in query.split('&') {
            match option.split_once('=') {
                Some(("sslrootcert", path)) => {
                    let path = percent_decode_str(path).decode_utf8();
                    authorities = Some(path.map_err(|_| "sslrootcert is not UTF-8")?);
                }
                Some(("sslmode", "verify-ca" | "verify-full")) => others.push("sslmode=require"),
                Some(("sslmode", mode)) if !["disable", "prefer", "require"].contains(&mode) => {
                    return Err(
                        "sslmode must be disable, prefer, require, verify-ca or verify-full",
                    );
                }
                _ => others.push(option),
            }
        }
        // Otherwise a part of the password would be taken for a host or a database, and shown.
        let (authority, database) = address.split_once('/').unwrap_or((address, ""));
        let is_clear = authority.matches('@').count() <= 1 && !database.contains(['@', '/', ' ']);
        let config: Result<Config, _> =
            format!("postgres://{address}?{}", others.join("&")).parse();
        let mut config = config.ok().filter(|_| is_clear).ok_or(UNENCODED)?;
        if config.get_hosts().is_empty() {
            return Err("the URL must contain a host");
        }
        if config.get_password().is_none() {
            let found =
                password.map_or_else(|| password_file::password(&config), |one| Ok(Some(one)));
            found?.map(|password| config.password(password));
        }
        if config.get_connect_timeout().is_none() {
            // Metrics wait in the meantime.
            config.connect_timeout(Duration::from_secs(3));
        }
        config.application_name("cronjob-doctor");
        Ok(PostgresUrl {
            config,
            authorities: authorities.map(|path| PathBuf::from(&*path)),
        })
    }

    /// Without any certificate authority, only connections without TLS succeed.
    fn tls(&self) -> io::Result<MakeRustlsConnect> {
        let mut roots = RootCertStore::empty();
        match &self.authorities {
            Some(path) => roots.add_parsable_certificates(certificates(path)?),
            None => roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs),
        };
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(MakeRustlsConnect::new(config))
    }

    async fn connect(&self) -> Result<Client, DatabaseError> {
        let client = if self.config.get_ssl_mode() == SslMode::Disable {
            let (client, connection) = self.config.connect(NoTls).await?;
            tokio::spawn(connection);
            client
        } else {
            let (client, connection) = self.config.connect(self.tls()?).await?;
            tokio::spawn(connection);
            client
        };
        client.batch_execute(SESSION).await?;
        Ok(client)
    }
}

fn certificates(path: &Path) -> io::Result<Vec<CertificateDer<'static>>> {
    let explained =
        |why: String| io::Error::other(format!("sslrootcert {}: {why}", path.display()));
    // Reading a pipe or a device might not end.
    let found = fs::metadata(path).map_err(|error| explained(error.to_string()))?;
    if !found.is_file() || found.len() > LARGEST_AUTHORITIES {
        return Err(explained("not a file of certificates".to_owned()));
    }
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    read.map_err(|error| explained(error.to_string()))
}

/// Hosts, ports and database; never the user or the password.
impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ports = self.config.get_ports();
        let hosts = self.config.get_hosts().iter().enumerate();
        let hosts: Vec<String> = hosts
            .map(|(index, host)| {
                let port = ports.get(index).or(ports.first()).unwrap_or(&5432);
                match host {
                    Host::Tcp(name) => format!("{name}:{port}"),
                    #[cfg(unix)]
                    Host::Unix(path) => format!("{}:{port}", path.display()),
                }
            })
            .collect();
        let database = self.config.get_dbname().unwrap_or_default();
        write!(f, "postgres://{}/{database}", hosts.join(","))
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl DatabaseAddress for PostgresUrl {
    fn connect(&self, writes: bool) -> Result<RunStore, StoreError> {
        let session = PostgresSession::open(self, writes)?;
        Ok(RunStore::new(self.to_string(), Box::new(session)))
    }
}

impl PostgresSession {
    /// Connects to read, or to write as the only one: then the tables are created if there are none.
    pub(super) fn open(url: &PostgresUrl, writes: bool) -> Result<Self, StoreError> {
        let holder = || format!("{:016x}", RandomState::new().build_hasher().finish());
        let session = PostgresSession {
            url: url.clone(),
            holder: writes.then(holder),
            has_held: Cell::new(false),
            client: RefCell::default(),
        };
        let place = url.to_string();
        let explained = |error: DatabaseError| error.at(&place);
        let version = session.version().map_err(explained)?;
        check_version(&place, version)?;
        if writes {
            let database: &dyn Database = &session;
            // With the lease, no other replica writes.
            database.transact(|| Ok(())).map_err(explained)?;
        }
        Ok(session)
    }

    /// The version of the tables.
    fn version(&self) -> Result<i64, DatabaseError> {
        let database: &dyn Database = self;
        let encodings = database.all("SHOW server_encoding", &[], |row| row.required_text(0))?;
        if let Some(other) = encodings.into_iter().find(|encoding| encoding != "UTF8") {
            let why = format!(
                "the encoding of the database is {other}; it must be UTF8 (CREATE DATABASE … ENCODING 'UTF8' \
                 TEMPLATE template0)"
            );
            return Err(DatabaseError::new(StoreError::Other, why));
        }
        if self.number(COUNT_TABLES)? == Some(0) {
            if self.holder.is_none() {
                let why = "contains no recorded runs";
                return Err(DatabaseError::new(StoreError::Other, why));
            }
            self.batch(BEGIN_CREATION)?;
            if self.number(COUNT_TABLES)? == Some(0) {
                // If it exists, its user may not be allowed to create schemas.
                if self.number(COUNT_SCHEMAS)? == Some(0) {
                    self.batch("CREATE SCHEMA cronjob_doctor")?;
                }
                self.batch(&tables())?;
            }
            self.batch("COMMIT")?;
        }
        let version = self.number("SELECT version FROM recorder")?;
        version.ok_or_else(|| {
            let why = "the table cronjob_doctor.recorder is empty; drop the schema cronjob_doctor to begin again";
            DatabaseError::new(StoreError::Other, why)
        })
    }

    fn number(&self, sql: &str) -> Result<Option<i64>, DatabaseError> {
        let database: &dyn Database = self;
        let numbers = database.all(sql, &[], |row| row.required_integer(0))?;
        Ok(numbers.first().copied())
    }

    fn batch(&self, sql: &str) -> Result<(), DatabaseError> {
        self.request(async |client| client.batch_execute(sql).await)
    }

    fn request<T>(
        &self,
        send: impl AsyncFnOnce(&Client) -> Result<T, tokio_postgres::Error>,
    ) -> Result<T, DatabaseError> {
        let runtime = RUNTIME.as_ref();
        let runtime = runtime.map_err(|error| io::Error::new(error.kind(), error.to_string()))?;
        let known = self.client.take();
        let request = async {
            let client = match known {
                Some(client) => client,
                None => self.url.connect().await?,
            };
            // After an error the connection is closed, and with it an unfinished transaction.
            let answer = send(&client).await?;
            Ok::<_, DatabaseError>((client, answer))
        };
        let answer = runtime.block_on(async { timeout(PATIENCE, request).await });
        let (client, answer) = answer
            .map_err(|_| DatabaseError::new(StoreError::Connect, "no response for 10 seconds"))??;
        self.client.replace(Some(client));
        Ok(answer)
    }
}

/// The tables, and the row of the lease.
fn tables() -> String {
    let tables = SCHEMA
        .replace(
            "id INTEGER PRIMARY KEY",
            "id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
        )
        .replace("INTEGER", "BIGINT")
        // In the order of bytes, as everywhere else.
        .replace("TEXT", "TEXT COLLATE \"C\"")
        .replace(" STRICT, WITHOUT ROWID;", ";")
        .replace(" STRICT;", ";");
    format!(
        "{tables} CREATE TABLE recorder (version BIGINT NOT NULL, holder TEXT, expires_at TIMESTAMPTZ); \
         INSERT INTO recorder VALUES ({VERSION})"
    )
}

impl Database for PostgresSession {
    fn query(
        &self,
        sql: &str,
        parameters: &[Parameter<'_>],
        read: &mut ReadRow<'_>,
    ) -> Result<(), DatabaseError> {
        let sql = numbered(sql);
        let texts = parameters.iter().map(|parameter| match parameter {
            Parameter::Text(Some(text)) => Some(storable(text)),
            Parameter::Text(None) | Parameter::Integer(_) => None,
        });
        let texts: Vec<Option<Cow<'_, str>>> = texts.collect();
        let both = parameters.iter().zip(&texts);
        let parameters: Vec<(&(dyn ToSql + Sync), Type)> = both
            .map(|(parameter, text)| match parameter {
                Parameter::Integer(value) => (value as _, Type::INT8),
                Parameter::Text(_) => (text as _, Type::TEXT),
            })
            .collect();
        let rows = self.request(async |client| client.query_typed(&sql, &parameters).await)?;
        rows.iter().try_for_each(|row| read(row))
    }

    fn begin(&self) -> Result<(), DatabaseError> {
        self.batch("BEGIN")?;
        let mut holds = false;
        let holder = [Parameter::Text(self.holder.as_deref())];
        self.query(TAKE_LEASE, &holder, &mut |_| {
            holds = true;
            Ok(())
        })?;
        if holds {
            self.has_held.set(true);
            return Ok(());
        }
        self.end(false)?;
        Err(DatabaseError::new(|place, _| StoreError::Locked(place), ""))
    }

    fn end(&self, succeeded: bool) -> Result<(), DatabaseError> {
        if succeeded {
            return self.batch("COMMIT");
        }
        if self.client.borrow().is_some() {
            return self.batch("ROLLBACK");
        }
        Ok(())
    }
}

impl Drop for PostgresSession {
    fn drop(&mut self) {
        if self.has_held.get() {
            // After an error on a new connection. If there is none, the lease expires.
            let holder = [Parameter::Text(self.holder.as_deref())];
            let _ = self.query(RELEASE_LEASE, &holder, &mut |_| Ok(()));
        }
    }
}

/// A text without NUL, which PostgreSQL does not store.
fn storable(text: &str) -> Cow<'_, str> {
    if text.contains('\0') {
        return Cow::Owned(text.replace('\0', "\u{fffd}"));
    }
    Cow::Borrowed(text)
}

impl From<io::Error> for DatabaseError {
    fn from(error: io::Error) -> Self {
        DatabaseError::new(StoreError::Connect, error.to_string())
    }
}

impl From<tokio_postgres::Error> for DatabaseError {
    fn from(error: tokio_postgres::Error) -> Self {
        let Some(error) = error.as_db_error() else {
            return DatabaseError::new(StoreError::Connect, connection_problem(&error));
        };
        if *error.code() == SqlState::DISK_FULL {
            return DatabaseError::new(|place, _| StoreError::Full(place), "");
        }
        match error.code().code().get(..2) {
            // These messages contain the name of the user.
            Some("28") => {
                let why = if *error.code() == SqlState::INVALID_PASSWORD {
                    "password authentication failed"
                } else {
                    "the user is not accepted; the log of the server says why"
                };
                DatabaseError::new(StoreError::Connect, why)
            }
            Some("22" | "54") => DatabaseError::new(StoreError::Value, error.message()),
            _ => DatabaseError::new(StoreError::Other, error.message()),
        }
    }
}

/// Why there is no connection, and what to do about it where that is not obvious.
fn connection_problem(error: &dyn Error) -> String {
    // The innermost reason, which the others only repeat.
    let mut deepest = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    let why = deepest.to_string();
    if why.contains("CaUsedAsEndEntity") {
        return format!(
            "{why}: the server uses the certificate of an authority; create one with CA:FALSE that is signed by it"
        );
    }
    why
}

/// A statement with the placeholders of PostgreSQL, which are all numbered.
fn numbered(sql: &str) -> String {
    let mut parts = sql.split('?');
    let mut numbered = parts.next().unwrap_or_default().to_owned();
    for (index, part) in parts.enumerate() {
        numbered.push('$');
        if !part.starts_with(|next: char| next.is_ascii_digit()) {
            numbered.push_str(&(index + 1).to_string());
        }
        numbered.push_str(part);
    }
    numbered
}

impl StoredRow for tokio_postgres::Row {
    fn integer(&self, index: usize) -> Result<Option<i64>, DatabaseError> {
        Ok(self.try_get(index)?)
    }

    fn text(&self, index: usize) -> Result<Option<&str>, DatabaseError> {
        Ok(self.try_get(index)?)
    }
}
