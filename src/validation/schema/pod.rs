//! The fields of the pod: its scheduling, network and identity.

use super::container::{
    AppArmorProfile, Container, EphemeralContainer, ResourceRequirements, SELinuxOptions,
    SeccompProfile, WindowsSecurityContextOptions,
};
use super::meta::{LabelSelector, LocalObjectReference, ObjectMeta};
use super::volume::Volume;

use super::{Field, Shape, Type};

types! {
    PodTemplateSpec {
        metadata: ObjectMeta,
        spec: PodSpec,
    }
    PodSpec {
        volumes: [Volume],
        initContainers: [Container],
        containers: [Container],
        ephemeralContainers: [EphemeralContainer],
        restartPolicy: (text "v1.RestartPolicy"),
        terminationGracePeriodSeconds: int64,
        activeDeadlineSeconds: int64,
        dnsPolicy: (text "v1.DNSPolicy"),
        nodeSelector: {text},
        serviceAccountName: text,
        serviceAccount: text,
        automountServiceAccountToken: bool,
        nodeName: text,
        hostNetwork: bool,
        hostPID: bool,
        hostIPC: bool,
        shareProcessNamespace: bool,
        securityContext: PodSecurityContext,
        imagePullSecrets: [LocalObjectReference],
        hostname: text,
        subdomain: text,
        affinity: Affinity,
        schedulerName: text,
        tolerations: [Toleration],
        hostAliases: [HostAlias],
        priorityClassName: text,
        priority: int32,
        dnsConfig: PodDNSConfig,
        readinessGates: [PodReadinessGate],
        runtimeClassName: text,
        enableServiceLinks: bool,
        preemptionPolicy: (text "v1.PreemptionPolicy"),
        overhead: resources,
        topologySpreadConstraints: [TopologySpreadConstraint],
        setHostnameAsFQDN: bool,
        os: PodOS since 23,
        hostUsers: bool since 25,
        schedulingGates: [PodSchedulingGate] since 26,
        resourceClaims: [PodResourceClaim] since 26,
        resources: ResourceRequirements since 32,
        hostnameOverride: text since 34,
        schedulingGroup: PodSchedulingGroup since 36,
        evictionResponders: [EvictionResponder] since 37,
    }
    PodSecurityContext {
        seLinuxOptions: SELinuxOptions,
        windowsOptions: WindowsSecurityContextOptions,
        runAsUser: int64,
        runAsGroup: int64,
        runAsNonRoot: bool,
        supplementalGroups: [int64],
        supplementalGroupsPolicy: (text "v1.SupplementalGroupsPolicy") since 31,
        fsGroup: int64,
        sysctls: [Sysctl],
        fsGroupChangePolicy: (text "v1.PodFSGroupChangePolicy"),
        seccompProfile: SeccompProfile since 19,
        appArmorProfile: AppArmorProfile since 30,
        seLinuxChangePolicy: (text "v1.PodSELinuxChangePolicy") since 32,
    }
    Sysctl {
        name: text,
        value: text,
    }
    Affinity {
        nodeAffinity: NodeAffinity,
        podAffinity: PodAffinity,
        podAntiAffinity: PodAntiAffinity,
    }
    NodeAffinity {
        requiredDuringSchedulingIgnoredDuringExecution: NodeSelector,
        preferredDuringSchedulingIgnoredDuringExecution: [PreferredSchedulingTerm],
    }
    NodeSelector {
        nodeSelectorTerms: [NodeSelectorTerm],
    }
    NodeSelectorTerm {
        matchExpressions: [NodeSelectorRequirement],
        matchFields: [NodeSelectorRequirement],
    }
    NodeSelectorRequirement {
        key: text,
        operator: (text "v1.NodeSelectorOperator"),
        values: [text],
    }
    PreferredSchedulingTerm {
        weight: int32,
        preference: NodeSelectorTerm,
    }
    PodAffinity {
        requiredDuringSchedulingIgnoredDuringExecution: [PodAffinityTerm],
        preferredDuringSchedulingIgnoredDuringExecution: [WeightedPodAffinityTerm],
    }
    PodAffinityTerm {
        labelSelector: LabelSelector,
        namespaces: [text],
        topologyKey: text,
        namespaceSelector: LabelSelector since 21,
        matchLabelKeys: [text] since 29,
        mismatchLabelKeys: [text] since 29,
    }
    WeightedPodAffinityTerm {
        weight: int32,
        podAffinityTerm: PodAffinityTerm,
    }
    PodAntiAffinity {
        requiredDuringSchedulingIgnoredDuringExecution: [PodAffinityTerm],
        preferredDuringSchedulingIgnoredDuringExecution: [WeightedPodAffinityTerm],
    }
    Toleration {
        key: text,
        operator: (text "v1.TolerationOperator"),
        value: text,
        effect: (text "v1.TaintEffect"),
        tolerationSeconds: int64,
    }
    HostAlias {
        ip: text,
        hostnames: [text],
    }
    PodDNSConfig {
        nameservers: [text],
        searches: [text],
        options: [PodDNSConfigOption],
    }
    PodDNSConfigOption {
        name: text,
        value: text,
    }
    PodReadinessGate {
        conditionType: (text "v1.PodConditionType"),
    }
    TopologySpreadConstraint {
        maxSkew: int32,
        topologyKey: text,
        whenUnsatisfiable: (text "v1.UnsatisfiableConstraintAction"),
        labelSelector: LabelSelector,
        minDomains: int32 since 24,
        nodeAffinityPolicy: (text "v1.NodeInclusionPolicy") since 25,
        nodeTaintsPolicy: (text "v1.NodeInclusionPolicy") since 25,
        matchLabelKeys: [text] since 25,
    }
    PodOS {
        name: (text "v1.OSName"),
    }
    PodSchedulingGate {
        name: text,
    }
    PodResourceClaim {
        name: text,
        resourceClaimName: text,
        resourceClaimTemplateName: text,
    }
    PodSchedulingGroup {
        podGroupName: text,
    }
    EvictionResponder {
        name: text,
        priority: int32,
    }
}
