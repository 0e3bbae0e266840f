//! A certificate authority for one test, and what it signs.

use std::collections::HashMap;
use std::sync::Mutex;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, SanType, date_time_ymd,
};
use rustls::pki_types::CertificateDer;

use super::access::Peer;

/// A certificate and its key, as PEM.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

/// The certificate of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ServerCertificate {
    #[default]
    Signed,
    Expired,
    /// That of the authority itself, as `openssl req -x509` creates one.
    Authority,
    ExpiredAuthority,
    /// That of an authority that is not for servers.
    AuthorityOfClients,
    /// Another certificate of an authority with the same name.
    OtherAuthority,
}

/// Signs certificates, and knows which user each client certificate belongs to.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    own: Pair,
    /// The users of the valid client certificates, by the bytes of the certificates.
    clients: Mutex<HashMap<Vec<u8>, String>>,
}

impl Authority {
    pub(crate) fn new(of_server: ServerCertificate) -> Authority {
        let expired = of_server == ServerCertificate::ExpiredAuthority;
        let mut params = params("test-authority", expired);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        params.subject_alt_names = names();
        if of_server == ServerCertificate::AuthorityOfClients {
            params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        }
        let key = KeyPair::generate().unwrap();
        let own = Pair {
            certificate: params.self_signed(&key).unwrap().pem(),
            key: key.serialize_pem(),
        };
        Authority {
            issuer: Issuer::new(params, key),
            own,
            clients: Mutex::default(),
        }
    }

    /// Its own certificate, for clients to trust.
    pub(crate) fn pem(&self) -> &str {
        &self.own.certificate
    }

    /// A server's certificate and key.
    pub(crate) fn server(&self, certificate: ServerCertificate) -> Pair {
        let expired = match certificate {
            ServerCertificate::Signed => false,
            ServerCertificate::Expired => true,
            ServerCertificate::OtherAuthority => return Authority::new(certificate).own,
            _ => return self.own.clone(),
        };
        let mut params = params("test-apiserver", expired);
        params.subject_alt_names = names();
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        self.sign(&params).1
    }

    /// A client's certificate and key. The server does not accept an expired one.
    pub(crate) fn client(&self, user: &str, expired: bool) -> Pair {
        let mut params = params(user, expired);
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        let (bytes, pair) = self.sign(&params);
        if !expired {
            let mut clients = self.clients.lock().unwrap();
            clients.insert(bytes, user.to_owned());
        }
        pair
    }

    /// The user of a client, according to its certificates.
    pub(crate) fn peer(&self, certificates: Option<&[CertificateDer<'_>]>) -> Peer {
        let Some([certificate, ..]) = certificates else {
            return Peer::NoCertificate;
        };
        let clients = self.clients.lock().unwrap();
        match clients.get(certificate.as_ref()) {
            Some(user) => Peer::User(user.clone()),
            None => Peer::BadCertificate,
        }
    }

    /// The bytes of a new certificate, and the certificate with its key.
    fn sign(&self, params: &CertificateParams) -> (Vec<u8>, Pair) {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let pair = Pair {
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        };
        (certificate.der().to_vec(), pair)
    }
}

/// The names of the server.
fn names() -> Vec<SanType> {
    let names = ["127.0.0.1", "localhost"].map(str::to_owned);
    CertificateParams::new(names).unwrap().subject_alt_names
}

fn params(name: &str, expired: bool) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.not_before = date_time_ymd(2000, 1, 1);
    params.not_after = date_time_ymd(if expired { 2001 } else { 2200 }, 1, 1);
    params
}
