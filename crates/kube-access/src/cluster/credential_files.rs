//! The files that a kubeconfig names: certificates, keys and tokens. kube would read them without a limit.

use std::io;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use kube::config::AuthInfo;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use secrecy::{ExposeSecret as _, SecretString};

use kube_objects::snapshot::read_to_limit;

/// The largest kubeconfig, certificate, key, token or kuberc.
const LARGEST: u64 = 32 << 20;

/// Reads a file up to a limit.
pub(super) fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    read_to_limit(path, LARGEST)
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
    let content = read_file(Path::new(path)).map(Some);
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
