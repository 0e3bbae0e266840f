//! The fields of volumes.

use super::super::formats;
use super::Constraint::{FileMode, Form, OneOf, OneOfOrEmpty, Required, RequiredSince};
use super::meta::{
    LabelSelector, LocalObjectReference, ObjectFieldSelector, ObjectMeta, ResourceFieldSelector,
};
use super::{FieldShape, SchemaField, SchemaType};

const HOST_PATH_TYPES: &[&str] = &[
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
];

/// The minor release that rejects image volumes without a reference in pod templates. Before, only the
/// pods were rejected.
const IMAGE_REFERENCE_SINCE: u32 = 37;

types! {
    Volume {
        name: text [Required, Form(formats::label)],
        // In the order in which the server looks for them.
        emptyDir: EmptyDirVolumeSource inside VolumeSource,
        hostPath: HostPathVolumeSource inside VolumeSource,
        gitRepo: GitRepoVolumeSource inside VolumeSource,
        gcePersistentDisk: GCEPersistentDiskVolumeSource inside VolumeSource,
        awsElasticBlockStore: AWSElasticBlockStoreVolumeSource inside VolumeSource,
        secret: SecretVolumeSource inside VolumeSource,
        nfs: NFSVolumeSource inside VolumeSource,
        iscsi: ISCSIVolumeSource inside VolumeSource,
        glusterfs: GlusterfsVolumeSource inside VolumeSource,
        flocker: FlockerVolumeSource inside VolumeSource,
        persistentVolumeClaim: PersistentVolumeClaimVolumeSource inside VolumeSource,
        rbd: RBDVolumeSource inside VolumeSource,
        cinder: CinderVolumeSource inside VolumeSource,
        cephfs: CephFSVolumeSource inside VolumeSource,
        quobyte: QuobyteVolumeSource inside VolumeSource,
        downwardAPI: DownwardAPIVolumeSource inside VolumeSource,
        fc: FCVolumeSource inside VolumeSource,
        flexVolume: FlexVolumeSource inside VolumeSource,
        configMap: ConfigMapVolumeSource inside VolumeSource,
        azureFile: AzureFileVolumeSource inside VolumeSource,
        vsphereVolume: VsphereVirtualDiskVolumeSource inside VolumeSource,
        photonPersistentDisk: PhotonPersistentDiskVolumeSource inside VolumeSource,
        portworxVolume: PortworxVolumeSource inside VolumeSource,
        azureDisk: AzureDiskVolumeSource inside VolumeSource,
        storageos: StorageOSVolumeSource inside VolumeSource,
        projected: ProjectedVolumeSource inside VolumeSource,
        scaleIO: ScaleIOVolumeSource inside VolumeSource,
        csi: CSIVolumeSource inside VolumeSource,
        ephemeral: EphemeralVolumeSource since 19 inside VolumeSource,
        image: ImageVolumeSource since 31 on 35 inside VolumeSource,
    }
    HostPathVolumeSource {
        path: text,
        type: (text "v1.HostPathType") [OneOf(HOST_PATH_TYPES)],
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
        repository: text [Required],
        revision: text,
        directory: text [Form(formats::relative_path)],
    }
    SecretVolumeSource {
        secretName: text [Required],
        items: [KeyToPath],
        defaultMode: int32 [FileMode],
        optional: bool,
        defaultUser: int64 since 37,
    }
    KeyToPath {
        key: text [Required],
        path: text [Required, Form(formats::unreserved_path)],
        mode: int32 [FileMode],
        user: int64 since 37,
    }
    NFSVolumeSource {
        server: text [Required],
        path: text [Required],
        readOnly: bool,
    }
    ISCSIVolumeSource {
        targetPortal: text [Required],
        iqn: text [Required],
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
        endpoints: text [Required],
        path: text [Required],
        readOnly: bool,
    }
    PersistentVolumeClaimVolumeSource {
        claimName: text [Required],
        readOnly: bool,
    }
    RBDVolumeSource {
        monitors: [text] [Required],
        image: text [Required],
        fsType: text,
        pool: text,
        user: text,
        keyring: text,
        secretRef: LocalObjectReference,
        readOnly: bool,
    }
    FlexVolumeSource {
        driver: text [Required],
        fsType: text,
        secretRef: LocalObjectReference,
        readOnly: bool,
        options: {text},
    }
    CinderVolumeSource {
        volumeID: text [Required],
        fsType: text,
        readOnly: bool,
        secretRef: LocalObjectReference,
    }
    CephFSVolumeSource {
        monitors: [text] [Required],
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
        defaultMode: int32 [FileMode],
        defaultUser: int64 since 37,
    }
    DownwardAPIVolumeFile {
        path: text [Required, Form(formats::unreserved_path)],
        fieldRef: ObjectFieldSelector,
        resourceFieldRef: ResourceFieldSelector,
        mode: int32 [FileMode],
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
        secretName: text [Required],
        shareName: text [Required],
        readOnly: bool,
    }
    ConfigMapVolumeSource {
        name: text inside LocalObjectReference [Required],
        items: [KeyToPath],
        defaultMode: int32 [FileMode],
        optional: bool,
        defaultUser: int64 since 37,
    }
    VsphereVirtualDiskVolumeSource {
        volumePath: text [Required],
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
        diskName: text [Required],
        diskURI: text [Required],
        cachingMode: (text "v1.AzureDataDiskCachingMode") [OneOf(&["None", "ReadOnly", "ReadWrite"])],
        fsType: text,
        readOnly: bool,
        kind: (text "v1.AzureDataDiskKind") [OneOf(&["Dedicated", "Managed", "Shared"])],
    }
    PhotonPersistentDiskVolumeSource {
        pdID: text,
        fsType: text,
    }
    ProjectedVolumeSource {
        sources: [VolumeProjection],
        defaultMode: int32 [FileMode],
        defaultUser: int64 since 37,
    }
    VolumeProjection {
        secret: SecretProjection,
        downwardAPI: DownwardAPIProjection,
        configMap: ConfigMapProjection,
        serviceAccountToken: ServiceAccountTokenProjection,
        clusterTrustBundle: ClusterTrustBundleProjection since 29 on 37,
        podCertificate: PodCertificateProjection since 34 on 37,
    }
    SecretProjection {
        name: text inside LocalObjectReference [Required],
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
        path: text [Required, Form(formats::unreserved_path)],
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
        storageClassName: text [Form(formats::subdomain)],
        volumeMode: (text "v1.PersistentVolumeMode") [OneOf(&["Block", "Filesystem"])],
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
        reference: text [RequiredSince(IMAGE_REFERENCE_SINCE)],
        pullPolicy: (text "v1.PullPolicy") [OneOfOrEmpty(&["Always", "IfNotPresent", "Never"])],
    }
}
