//! The server's side of TLS: as a real one, it asks for a client certificate and judges it later.

use std::sync::Arc;

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, Error, ServerConfig, SignatureScheme};

use super::certificates::Authority;

/// What a server needs to speak TLS.
pub(crate) fn config(authority: &Authority, expired: bool) -> Arc<ServerConfig> {
    let provider = Arc::new(ring::default_provider());
    let (certificate, key) = authority.server(expired);
    let config = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(Arc::new(AnyCertificate(provider)))
        .with_single_cert(vec![certificate], key.into())
        .unwrap();
    Arc::new(config)
}

/// A method of [`ClientCertVerifier`] that leaves it to the function of its name.
macro_rules! verify_signature {
    ($name:ident) => {
        fn $name(
            &self,
            message: &[u8],
            certificate: &CertificateDer<'_>,
            signature: &DigitallySignedStruct,
        ) -> Result<HandshakeSignatureValid, Error> {
            let algorithms = &self.0.signature_verification_algorithms;
            rustls::crypto::$name(message, certificate, signature, algorithms)
        }
    };
}

/// Takes every certificate whose key the client has: a bad one is a matter of 401, not of TLS.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

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

    verify_signature!(verify_tls12_signature);
    verify_signature!(verify_tls13_signature);

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
