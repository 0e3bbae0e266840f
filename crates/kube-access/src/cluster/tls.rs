//! Which certificates of servers are trusted: those that kubectl trusts.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::Uri;
use http::uri::Scheme;
use kube::Config;
use kube::client::ConfigExt as _;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, ring};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use rustls_platform_verifier::Verifier;
use x509_cert::Certificate;
use x509_cert::der::Decode as _;
use x509_cert::der::oid::db::rfc5280::ID_KP_SERVER_AUTH;
use x509_cert::ext::pkix::ExtendedKeyUsage;

/// The TLS settings of a cluster and its proxy.
pub(super) fn settings(config: &Config) -> Result<ClientConfig, kube::Error> {
    // kube would read the certificates of the system for each client.
    let mut without_authorities = config.clone();
    without_authorities.root_cert = Some(Vec::new());
    let mut tls = without_authorities.rustls_client_config()?;
    let uses_tls = |address: &Uri| address.scheme() == Some(&Scheme::HTTPS);
    let uses_tls = uses_tls(&config.cluster_url) || config.proxy_url.as_ref().is_some_and(uses_tls);
    // A file of authorities is that of a pod, which kube reads again when it has changed.
    if config.accept_invalid_certs || config.root_cert_file.is_some() || !uses_tls {
        return Ok(tls);
    }
    let verifier = match &config.root_cert {
        Some(authorities) => Authorities::verifier(authorities),
        None => of_system(),
    };
    let verifier = verifier.map_err(|error| kube::Error::Service(error.into()))?;
    tls.dangerous().set_certificate_verifier(verifier);
    Ok(tls)
}

/// Trusts the authorities of the system. As in Go, they are read once.
fn of_system() -> Result<Arc<dyn ServerCertVerifier>, Error> {
    static SYSTEM: OnceLock<Result<Arc<Verifier>, Error>> = OnceLock::new();
    let verifier = SYSTEM.get_or_init(|| Verifier::new(provider()).map(Arc::new));
    Ok(verifier.clone()?)
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

/// Trusts the authorities of a kubeconfig. As in Go, a server may use the certificate of an authority itself, which
/// webpki refuses: `openssl req -x509` creates such certificates.
#[derive(Debug)]
struct Authorities {
    certificates: Vec<CertificateDer<'static>>,
    webpki: Arc<WebPkiServerVerifier>,
}

impl Authorities {
    fn verifier(authorities: &[Vec<u8>]) -> Result<Arc<dyn ServerCertVerifier>, Error> {
        let certificates = authorities.iter().cloned().map(CertificateDer::from);
        let certificates: Vec<CertificateDer<'static>> = certificates.collect();
        let mut roots = RootCertStore::empty();
        for certificate in &certificates {
            roots.add(certificate.clone())?;
        }
        let webpki = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider());
        let webpki = webpki.build();
        Ok(Arc::new(Authorities {
            certificates,
            webpki: webpki.map_err(|error| Error::General(error.to_string()))?,
        }))
    }
}

impl ServerCertVerifier for Authorities {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.certificates.contains(end_entity) {
            check_authority(end_entity, server_name, now)?;
            return Ok(ServerCertVerified::assertion());
        }
        self.webpki
            .verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.webpki
            .verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.webpki
            .verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.webpki.supported_verify_schemes()
    }
}

/// Checks everything but the issuer of a certificate that is trusted: its name, its time and its purpose.
fn check_authority(
    certificate: &CertificateDer<'_>,
    name: &ServerName<'_>,
    time: UnixTime,
) -> Result<(), Error> {
    // Unknown critical extensions are refused here.
    verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
    let parsed = Certificate::from_der(certificate).map_err(|_| CertificateError::BadEncoding)?;
    let fields = parsed.tbs_certificate;
    let at = |since_epoch: Duration| UnixTime::since_unix_epoch(since_epoch);
    let not_before = at(fields.validity.not_before.to_unix_duration());
    if time < not_before {
        return Err(CertificateError::NotValidYetContext { time, not_before }.into());
    }
    let not_after = at(fields.validity.not_after.to_unix_duration());
    if time > not_after {
        return Err(CertificateError::ExpiredContext { time, not_after }.into());
    }
    let purposes = fields.get::<ExtendedKeyUsage>();
    let purposes = purposes.map_err(|_| CertificateError::BadEncoding)?;
    if purposes.is_some_and(|(_, purposes)| !purposes.0.contains(&ID_KP_SERVER_AUTH)) {
        return Err(CertificateError::InvalidPurpose.into());
    }
    Ok(())
}
