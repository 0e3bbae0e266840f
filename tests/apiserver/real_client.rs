//! A client that is not ours reads the kubeconfigs, and understands the server.

use k8s_openapi::api::batch::v1::CronJob;
use kube::api::ListParams;
use kube::config::{KubeConfigOptions, Kubeconfig as File};
use kube::{Api, Client, Config, Error};

use crate::apiserver::recorded_server;
use crate::support::apiserver::{ApiServer, Kubeconfig};

/// How many `CronJob`s a client finds that has nothing but a kubeconfig.
fn count(path: &std::path::Path) -> Result<usize, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let file = File::read_from(path).unwrap();
        let options = KubeConfigOptions::default();
        let config = Config::from_custom_kubeconfig(file, &options)
            .await
            .unwrap();
        let client = Client::try_from(config)?;
        let cron_jobs: Api<CronJob> = Api::all(client);
        let (mut found, mut page) = (0, ListParams::default().limit(5));
        loop {
            let list = cron_jobs.list(&page).await?;
            found += list.items.len();
            match list.metadata.continue_.filter(|token| !token.is_empty()) {
                Some(token) => page = page.continue_token(&token),
                None => return Ok(found),
            }
        }
    })
}

fn refused(server: &ApiServer, config: &Kubeconfig) -> u16 {
    match count(&server.kubeconfig(config)) {
        Err(Error::Api(status)) => status.code,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_way_to_log_in() {
    let server = recorded_server();
    for path in [
        server.kubeconfig(&Kubeconfig::user("viewer")),
        server.kubeconfig(&Kubeconfig::certificate("viewer")),
        server.kubeconfig(&Kubeconfig::user("viewer").insecure()),
        server.exec_kubeconfig("viewer"),
    ] {
        assert_eq!(count(&path).unwrap(), 12);
    }
    assert_eq!(refused(&server, &Kubeconfig::user("nobody")), 403);
    assert_eq!(refused(&server, &Kubeconfig::anonymous()), 403);
    assert_eq!(refused(&server, &Kubeconfig::token("stolen")), 401);
    assert_eq!(
        refused(&server, &Kubeconfig::expired_certificate("viewer")),
        401
    );
    let stranger = server.kubeconfig(&Kubeconfig::user("viewer").wrong_authority());
    assert!(matches!(
        count(&stranger),
        Err(Error::HyperError(_) | Error::Service(_))
    ));
}

#[test]
fn a_server_whose_certificate_has_expired() {
    let options = crate::support::apiserver::Options::default().expired_certificate();
    let server = ApiServer::start(options);
    let path = server.kubeconfig(&Kubeconfig::user("viewer"));
    assert!(matches!(
        count(&path),
        Err(Error::HyperError(_) | Error::Service(_))
    ));
}
