//! The fields of volumes.

use super::batch::{LabelSelector, LocalObjectReference, ObjectMeta};
use super::pod::{ObjectFieldSelector, ResourceFieldSelector};

use super::{Field, Shape, Type};

types! {
    Volume {
        name: text,
        hostPath: HostPathVolumeSource inside VolumeSource,
        emptyDir: EmptyDirVolumeSource inside VolumeSource,
        gcePersistentDisk: GCEPersistentDiskVolumeSource inside VolumeSource,
        awsElasticBlockStore: AWSElasticBlockStoreVolumeSource inside VolumeSource,
        gitRepo: GitRepoVolumeSource inside VolumeSource,
        secret: SecretVolumeSource inside VolumeSource,
        nfs: NFSVolumeSource inside VolumeSource,
        iscsi: ISCSIVolumeSource inside VolumeSource,
        glusterfs: GlusterfsVolumeSource inside VolumeSource,
        persistentVolumeClaim: PersistentVolumeClaimVolumeSource inside VolumeSource,
        rbd: RBDVolumeSource inside VolumeSource,
        flexVolume: FlexVolumeSource inside VolumeSource,
        cinder: CinderVolumeSource inside VolumeSource,
        cephfs: CephFSVolumeSource inside VolumeSource,
        flocker: FlockerVolumeSource inside VolumeSource,
        downwardAPI: DownwardAPIVolumeSource inside VolumeSource,
        fc: FCVolumeSource inside VolumeSource,
        azureFile: AzureFileVolumeSource inside VolumeSource,
        configMap: ConfigMapVolumeSource inside VolumeSource,
        vsphereVolume: VsphereVirtualDiskVolumeSource inside VolumeSource,
        quobyte: QuobyteVolumeSource inside VolumeSource,
        azureDisk: AzureDiskVolumeSource inside VolumeSource,
        photonPersistentDisk: PhotonPersistentDiskVolumeSource inside VolumeSource,
        projected: ProjectedVolumeSource inside VolumeSource,
        portworxVolume: PortworxVolumeSource inside VolumeSource,
        scaleIO: ScaleIOVolumeSource inside VolumeSource,
        storageos: StorageOSVolumeSource inside VolumeSource,
        csi: CSIVolumeSource inside VolumeSource,
        ephemeral: EphemeralVolumeSource since 19 inside VolumeSource,
        image: ImageVolumeSource since 31 inside VolumeSource,
    }
    HostPathVolumeSource {
        path: text,
        type: (text "v1.HostPathType"),
    }
    EmptyDirVolumeSource {
        medium: (text "v1.StorageMedium"),
        sizeLimit: quantity,
        mode: int32 since 37,
    }
    GCEPersistentDiskVolumeSource {
        pdName: text,
        fsType: text,
        partition: int32,
        readOnly: bool,
    }
    AWSElasticBlockStoreVolumeSource {
        volumeID: text,
        fsType: text,
        partition: int32,
        readOnly: bool,
    }
    GitRepoVolumeSource {
        repository: text,
        revision: text,
        directory: text,
    }
    SecretVolumeSource {
        secretName: text,
        items: [KeyToPath],
        defaultMode: int32,
        optional: bool,
        defaultUser: int64 since 37,
    }
    KeyToPath {
        key: text,
        path: text,
        mode: int32,
        user: int64 since 37,
    }
    NFSVolumeSource {
        server: text,
        path: text,
        readOnly: bool,
    }
    ISCSIVolumeSource {
        targetPortal: text,
        iqn: text,
        lun: int32,
        iscsiInterface: text,
        fsType: text,
        readOnly: bool,
        portals: [text],
        chapAuthDiscovery: bool,
        chapAuthSession: bool,
        secretRef: LocalObjectReference,
        initiatorName: text,
    }
    GlusterfsVolumeSource {
        endpoints: text,
        path: text,
        readOnly: bool,
    }
    PersistentVolumeClaimVolumeSource {
        claimName: text,
        readOnly: bool,
    }
    RBDVolumeSource {
        monitors: [text],
        image: text,
        fsType: text,
        pool: text,
        user: text,
        keyring: text,
        secretRef: LocalObjectReference,
        readOnly: bool,
    }
    FlexVolumeSource {
        driver: text,
        fsType: text,
        secretRef: LocalObjectReference,
        readOnly: bool,
        options: {text},
    }
    CinderVolumeSource {
        volumeID: text,
        fsType: text,
        readOnly: bool,
        secretRef: LocalObjectReference,
    }
    CephFSVolumeSource {
        monitors: [text],
        path: text,
        user: text,
        secretFile: text,
        secretRef: LocalObjectReference,
        readOnly: bool,
    }
    FlockerVolumeSource {
        datasetName: text,
        datasetUUID: text,
    }
    DownwardAPIVolumeSource {
        items: [DownwardAPIVolumeFile],
        defaultMode: int32,
        defaultUser: int64 since 37,
    }
    DownwardAPIVolumeFile {
        path: text,
        fieldRef: ObjectFieldSelector,
        resourceFieldRef: ResourceFieldSelector,
        mode: int32,
        user: int64 since 37,
    }
    FCVolumeSource {
        targetWWNs: [text],
        lun: int32,
        fsType: text,
        readOnly: bool,
        wwids: [text],
    }
    AzureFileVolumeSource {
        secretName: text,
        shareName: text,
        readOnly: bool,
    }
    ConfigMapVolumeSource {
        name: text inside LocalObjectReference,
        items: [KeyToPath],
        defaultMode: int32,
        optional: bool,
        defaultUser: int64 since 37,
    }
    VsphereVirtualDiskVolumeSource {
        volumePath: text,
        fsType: text,
        storagePolicyName: text,
        storagePolicyID: text,
    }
    QuobyteVolumeSource {
        registry: text,
        volume: text,
        readOnly: bool,
        user: text,
        group: text,
        tenant: text,
    }
    AzureDiskVolumeSource {
        diskName: text,
        diskURI: text,
        cachingMode: (text "v1.AzureDataDiskCachingMode"),
        fsType: text,
        readOnly: bool,
        kind: (text "v1.AzureDataDiskKind"),
    }
    PhotonPersistentDiskVolumeSource {
        pdID: text,
        fsType: text,
    }
    ProjectedVolumeSource {
        sources: [VolumeProjection],
        defaultMode: int32,
        defaultUser: int64 since 37,
    }
    VolumeProjection {
        secret: SecretProjection,
        downwardAPI: DownwardAPIProjection,
        configMap: ConfigMapProjection,
        serviceAccountToken: ServiceAccountTokenProjection,
        clusterTrustBundle: ClusterTrustBundleProjection since 29,
        podCertificate: PodCertificateProjection since 34,
    }
    SecretProjection {
        name: text inside LocalObjectReference,
        items: [KeyToPath],
        optional: bool,
    }
    DownwardAPIProjection {
        items: [DownwardAPIVolumeFile],
    }
    ConfigMapProjection {
        name: text inside LocalObjectReference,
        items: [KeyToPath],
        optional: bool,
    }
    ServiceAccountTokenProjection {
        audience: text,
        expirationSeconds: int64,
        path: text,
        user: int64 since 37,
    }
    ClusterTrustBundleProjection {
        name: text,
        signerName: text,
        labelSelector: LabelSelector,
        optional: bool,
        path: text,
        user: int64 since 37,
    }
    PodCertificateProjection {
        signerName: text,
        keyType: text,
        maxExpirationSeconds: int32,
        credentialBundlePath: text,
        keyPath: text,
        certificateChainPath: text,
        userAnnotations: {text} since 35,
        user: int64 since 37,
    }
    PortworxVolumeSource {
        volumeID: text,
        fsType: text,
        readOnly: bool,
    }
    ScaleIOVolumeSource {
        gateway: text,
        system: text,
        secretRef: LocalObjectReference,
        sslEnabled: bool,
        protectionDomain: text,
        storagePool: text,
        storageMode: text,
        volumeName: text,
        fsType: text,
        readOnly: bool,
    }
    StorageOSVolumeSource {
        volumeName: text,
        volumeNamespace: text,
        fsType: text,
        readOnly: bool,
        secretRef: LocalObjectReference,
    }
    CSIVolumeSource {
        driver: text,
        readOnly: bool,
        fsType: text,
        volumeAttributes: {text},
        nodePublishSecretRef: LocalObjectReference,
    }
    EphemeralVolumeSource {
        volumeClaimTemplate: PersistentVolumeClaimTemplate,
    }
    PersistentVolumeClaimTemplate {
        metadata: ObjectMeta,
        spec: PersistentVolumeClaimSpec,
    }
    PersistentVolumeClaimSpec {
        accessModes: [(text "v1.PersistentVolumeAccessMode")],
        selector: LabelSelector,
        resources: VolumeResourceRequirements,
        volumeName: text,
        storageClassName: text,
        volumeMode: (text "v1.PersistentVolumeMode"),
        dataSource: TypedLocalObjectReference,
        dataSourceRef: TypedObjectReference,
        volumeAttributesClassName: text,
    }
    VolumeResourceRequirements {
        limits: resources,
        requests: resources,
    }
    TypedLocalObjectReference {
        apiGroup: text,
        kind: text,
        name: text,
    }
    TypedObjectReference {
        apiGroup: text,
        kind: text,
        name: text,
        namespace: text,
    }
    ImageVolumeSource {
        reference: text,
        pullPolicy: (text "v1.PullPolicy"),
    }
}
