//! Reads kubeconfigs and the files that they name. kube would read them without a limit.

use std::io;
use std::path::{MAIN_SEPARATOR, Path, absolute};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use kube::config::{AuthInfo, Kubeconfig};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use secrecy::{ExposeSecret as _, SecretString};

use super::error::ClusterError;
use super::unreachable;
use crate::snapshot::read_to_limit;

/// The largest kubeconfig, certificate, key, token or kuberc.
const LARGEST: u64 = 32 << 20;

/// Reads a kubeconfig. As in kubectl, the files that it names are relative to its folder.
pub(super) fn read(path: &Path) -> Result<Kubeconfig, ClusterError> {
    parsed(path).map_err(|why| ClusterError::Kubeconfig {
        path: path.to_owned(),
        why,
    })
}

fn parsed(path: &Path) -> Result<Kubeconfig, String> {
    let bytes = file(path).map_err(|error| error.to_string())?;
    let text = text(bytes).ok_or("neither UTF-8 nor UTF-16")?;
    let parsed = Kubeconfig::from_yaml(&text);
    let mut kubeconfig = parsed.map_err(|error| unreachable::kubeconfig(&error))?;
    let path = absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().unwrap_or(&path);
    let resolve = |file: &mut Option<String>| {
        if let Some(file) = file.as_mut().filter(|file| !file.is_empty()) {
            *file = folder.join(&*file).to_string_lossy().into_owned();
        }
    };
    let clusters = kubeconfig.clusters.iter_mut();
    for cluster in clusters.filter_map(|named| named.cluster.as_mut()) {
        resolve(&mut cluster.certificate_authority);
    }
    let users = kubeconfig.auth_infos.iter_mut();
    for user in users.filter_map(|named| named.auth_info.as_mut()) {
        resolve(&mut user.client_certificate);
        resolve(&mut user.client_key);
        resolve(&mut user.token_file);
        // A bare name is searched in PATH.
        if let Some(exec) = user.exec.as_mut()
            && let Some(command) = &exec.command
            && command.contains(['/', MAIN_SEPARATOR])
        {
            resolve(&mut exec.command);
        }
    }
    Ok(kubeconfig)
}

/// Reads a file up to a limit.
pub(super) fn file(path: &Path) -> io::Result<Vec<u8>> {
    read_to_limit(path, LARGEST)
}

/// The text in UTF-8, or in UTF-16 with a byte order mark, as Windows shells write it.
fn text(bytes: Vec<u8>) -> Option<String> {
    let decode: fn([u8; 2]) -> u16 = match bytes.get(..2) {
        Some([0xFF, 0xFE]) => u16::from_le_bytes,
        Some([0xFE, 0xFF]) => u16::from_be_bytes,
        _ => return String::from_utf8(bytes).ok(),
    };
    let (units, rest) = bytes.as_chunks();
    let units: Vec<u16> = units.iter().skip(1).map(|unit| decode(*unit)).collect();
    String::from_utf16(&units).ok().filter(|_| rest.is_empty())
}

/// The content of a field that is base64 or names a file, if it has either. base64 takes precedence.
pub(super) fn content(
    what: &str,
    data: Option<&str>,
    path: Option<&str>,
) -> Result<Option<Vec<u8>>, String> {
    if let Some(data) = data.filter(|data| !data.is_empty()) {
        let decoded = BASE64_STANDARD.decode(data).map(Some);
        return decoded.map_err(|error| format!("the {what} is not base64: {error}"));
    }
    let Some(path) = path.filter(|path| !path.is_empty()) else {
        return Ok(None);
    };
    let content = file(Path::new(path)).map(Some);
    content.map_err(|error| format!("the {what} {path} cannot be read: {error}"))
}

/// The certificates of a certificate authority, from PEM to DER.
pub(super) fn certificates(pem: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    let certificates = CertificateDer::pem_slice_iter(pem);
    let certificates: Result<Vec<_>, _> = certificates
        .map(|one| one.map(|certificate| certificate.to_vec()))
        .collect();
    let certificates = certificates.map_err(|error| format!("invalid: {error}"))?;
    if certificates.is_empty() {
        return Err("the certificate authority contains no PEM certificate".to_owned());
    }
    Ok(certificates)
}

/// Replaces the files of the client certificate and its key by their contents.
pub(super) fn load_client_certificate(user: &mut AuthInfo) -> Result<(), String> {
    let certificate = user.client_certificate_data.take();
    let path = user.client_certificate.take();
    let certificate = content(
        "client certificate",
        certificate.as_deref(),
        path.as_deref(),
    )?;
    user.client_certificate_data = certificate.map(|data| BASE64_STANDARD.encode(data));
    let key = user.client_key_data.take();
    let key = key.as_ref().map(SecretString::expose_secret);
    let path = user.client_key.take();
    let key = content("client key", key, path.as_deref())?;
    user.client_key_data = key.map(|data| BASE64_STANDARD.encode(data).into());
    Ok(())
}
