//! The server's side of TLS. Like a real one, it asks for a client certificate and checks it later.

use std::sync::Arc;

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{
    WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature,
};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, Error, ServerConfig, SignatureScheme};
use tokio_rustls::TlsAcceptor;

use super::certificates::Pair;

/// Accepts connections with a certificate of the server.
pub(crate) fn acceptor(pair: &Pair) -> TlsAcceptor {
    let provider = ring::default_provider();
    let any = AnyCertificate(provider.signature_verification_algorithms);
    let certificate = CertificateDer::from_pem_slice(pair.certificate.as_bytes()).unwrap();
    let key = PrivateKeyDer::from_pem_slice(pair.key.as_bytes()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(Arc::new(any))
        .with_single_cert(vec![certificate], key)
        .unwrap();
    Arc::new(config).into()
}

/// Accepts every certificate whose key the client has: the response to a bad one is 401, not an error of TLS.
#[derive(Debug)]
struct AnyCertificate(WebPkiSupportedAlgorithms);

impl ClientCertVerifier for AnyCertificate {
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.0)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.0)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_schemes()
    }
}
