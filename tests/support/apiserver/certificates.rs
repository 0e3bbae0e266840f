//! An authority for one test, and what it signs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

/// A certificate and its key, as PEM.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

/// Signs certificates, and knows whose the clients' ones are.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: String,
    clients: Arc<Clients>,
}

/// The client certificates that are good, by their bytes.
#[derive(Default)]
pub(crate) struct Clients(Mutex<HashMap<Vec<u8>, String>>);

impl Clients {
    pub(crate) fn user(&self, certificate: &CertificateDer<'_>) -> Option<String> {
        self.0.lock().unwrap().get(certificate.as_ref()).cloned()
    }
}

impl Authority {
    pub(crate) fn new() -> Authority {
        let mut params = named("test-authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap().pem();
        Authority {
            issuer: Issuer::new(params, key),
            certificate,
            clients: Arc::default(),
        }
    }

    /// Its own certificate, for clients to trust.
    pub(crate) fn pem(&self) -> &str {
        &self.certificate
    }

    pub(crate) fn clients(&self) -> Arc<Clients> {
        Arc::clone(&self.clients)
    }

    /// The server's certificate and key.
    pub(crate) fn server(
        &self,
        expired: bool,
    ) -> (CertificateDer<'static>, PrivatePkcs8KeyDer<'static>) {
        let (certificate, key) = self.signed_server(expired);
        let key = PrivatePkcs8KeyDer::from(key.serialize_der());
        (certificate.der().clone(), key)
    }

    /// The certificate and key of a server, in PEM, for a server of another kind.
    pub(crate) fn server_pair(&self) -> Pair {
        let (certificate, key) = self.signed_server(false);
        Pair {
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        }
    }

    fn signed_server(&self, expired: bool) -> (Certificate, KeyPair) {
        let mut params = named("test-apiserver");
        params.subject_alt_names =
            CertificateParams::new(vec!["127.0.0.1".to_owned(), "localhost".to_owned()])
                .unwrap()
                .subject_alt_names;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        if expired {
            expire(&mut params);
        }
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.issuer).unwrap(), key)
    }

    /// A client's certificate and key. The server does not accept an expired one.
    pub(crate) fn client(&self, user: &str, expired: bool) -> Pair {
        let mut params = named(user);
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        if expired {
            expire(&mut params);
        }
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        if !expired {
            let mut clients = self.clients.0.lock().unwrap();
            clients.insert(certificate.der().to_vec(), user.to_owned());
        }
        Pair {
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        }
    }
}

fn named(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.not_before = date_time_ymd(2000, 1, 1);
    params.not_after = date_time_ymd(2200, 1, 1);
    params
}

fn expire(params: &mut CertificateParams) {
    params.not_after = date_time_ymd(2001, 1, 1);
}
