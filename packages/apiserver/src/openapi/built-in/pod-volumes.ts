/** Where the volumes of pods come from, in the short form of the notation. */
export const podVolumes = `
# HostPathVolumeSource | A folder of the node.
1 path! string; 2 type *string

# EmptyDirVolumeSource | An empty folder that lives as long as the pod.
1 medium string; 2 sizeLimit quantity

# GCEPersistentDiskVolumeSource | A disk of Google Cloud.
1 pdName! string; 2 fsType string; 3 partition int32; 4 readOnly boolean

# AWSElasticBlockStoreVolumeSource | A disk of AWS.
1 volumeID! string; 2 fsType string; 3 partition int32; 4 readOnly boolean

# GitRepoVolumeSource | A git repository.
1 repository! string; 2 revision string; 3 directory string

# SecretVolumeSource | The values of a Secret as files.
1 secretName string; 2 items []KeyToPath; 3 defaultMode *int32; 4 optional *boolean

# NFSVolumeSource | A folder of an NFS server.
1 server! string; 2 path! string; 3 readOnly boolean

# ISCSIVolumeSource | An iSCSI disk.
1 targetPortal! string; 2 iqn! string; 3 lun! int32; 4 iscsiInterface string; 5 fsType string; 6 readOnly boolean
7 portals []string; 8 chapAuthDiscovery boolean; 10 secretRef LocalObjectReference; 11 chapAuthSession boolean
12 initiatorName *string

# GlusterfsVolumeSource | A Gluster volume.
1 endpoints! string; 2 path! string; 3 readOnly boolean

# PersistentVolumeClaimVolumeSource | The volume of a claim.
1 claimName! string; 2 readOnly boolean

# RBDVolumeSource | A Rados block device.
1 monitors! []string; 2 image! string; 3 fsType string; 4 pool string; 5 user string; 6 keyring string
7 secretRef LocalObjectReference; 8 readOnly boolean

# FlexVolumeSource | A volume of a driver on the node.
1 driver! string; 2 fsType string; 3 secretRef LocalObjectReference; 4 readOnly boolean; 5 options {string}

# CinderVolumeSource | A disk of OpenStack.
1 volumeID! string; 2 fsType string; 3 readOnly boolean; 4 secretRef LocalObjectReference

# CephFSVolumeSource | A Ceph file system.
1 monitors! []string; 2 path string; 3 user string; 4 secretFile string; 5 secretRef LocalObjectReference
6 readOnly boolean

# FlockerVolumeSource | A Flocker volume.
1 datasetName string; 2 datasetUUID string

# DownwardAPIVolumeSource | Fields of the pod as files.
1 items []DownwardAPIVolumeFile; 2 defaultMode *int32

# FCVolumeSource | A Fibre Channel disk.
1 targetWWNs []string; 2 lun *int32; 3 fsType string; 4 readOnly boolean; 5 wwids []string

# AzureFileVolumeSource | A file share of Azure.
1 secretName! string; 2 shareName! string; 3 readOnly boolean

# ConfigMapVolumeSource | The values of a ConfigMap as files.
1.1 name string; 2 items []KeyToPath; 3 defaultMode *int32; 4 optional *boolean

# VsphereVirtualDiskVolumeSource | A disk of vSphere.
1 volumePath! string; 2 fsType string; 3 storagePolicyName string; 4 storagePolicyID string

# QuobyteVolumeSource | A Quobyte volume.
1 registry! string; 2 volume! string; 3 readOnly boolean; 4 user string; 5 group string; 6 tenant string

# AzureDiskVolumeSource | A disk of Azure.
1 diskName! string; 2 diskURI! string; 3 cachingMode *string; 4 fsType *string; 5 readOnly *boolean; 6 kind *string

# PhotonPersistentDiskVolumeSource | A disk of Photon.
1 pdID! string; 2 fsType string

# PortworxVolumeSource | A Portworx volume.
1 volumeID! string; 2 fsType string; 3 readOnly boolean

# ScaleIOVolumeSource | A ScaleIO volume.
1 gateway! string; 2 system! string; 3 secretRef! LocalObjectReference; 4 sslEnabled boolean
5 protectionDomain string; 6 storagePool string; 7 storageMode string; 8 volumeName string; 9 fsType string
10 readOnly boolean

# ProjectedVolumeSource | Several sources in one folder.
1 sources []VolumeProjection; 2 defaultMode *int32

# StorageOSVolumeSource | A StorageOS volume.
1 volumeName string; 2 volumeNamespace string; 3 fsType string; 4 readOnly boolean; 5 secretRef LocalObjectReference

# CSIVolumeSource | A volume of a storage driver.
1 driver! string; 2 readOnly *boolean; 3 fsType *string; 4 volumeAttributes {string}
5 nodePublishSecretRef LocalObjectReference

# EphemeralVolumeSource | A volume that lives as long as the pod.
1 volumeClaimTemplate PersistentVolumeClaimTemplate

# ImageVolumeSource | The files of an image.
1 reference string; 2 pullPolicy string

# KeyToPath | Where a value appears as a file.
1 key! string; 2 path! string; 3 mode *int32

# DownwardAPIVolumeFile | A field of the pod as a file.
1 path! string; 2 fieldRef ObjectFieldSelector; 3 resourceFieldRef ResourceFieldSelector; 4 mode *int32

# VolumeProjection | One of several sources.
1 secret SecretProjection; 2 downwardAPI DownwardAPIProjection; 3 configMap ConfigMapProjection
4 serviceAccountToken ServiceAccountTokenProjection; 5 clusterTrustBundle ClusterTrustBundleProjection
6 podCertificate PodCertificateProjection

# PersistentVolumeClaimTemplate | The template of a claim.
1 metadata ObjectMeta present; 2 spec! PersistentVolumeClaimSpec present

# SecretProjection | The values of a Secret as files.
1.1 name string; 2 items []KeyToPath; 4 optional *boolean

# DownwardAPIProjection | Fields of the pod as files.
1 items []DownwardAPIVolumeFile

# ConfigMapProjection | The values of a ConfigMap as files.
1.1 name string; 2 items []KeyToPath; 4 optional *boolean

# ServiceAccountTokenProjection | A token as a file.
1 audience string; 2 expirationSeconds *int64; 3 path! string

# ClusterTrustBundleProjection | CA certificates as a file.
1 name *string; 2 signerName *string; 3 labelSelector LabelSelector; 4 path! string; 5 optional *boolean

# PodCertificateProjection | A certificate of the pod as a file.
1 signerName! string; 2 keyType! string; 3 maxExpirationSeconds *int32; 4 credentialBundlePath string; 5 keyPath string
6 certificateChainPath string; 7 userAnnotations {string}

# PersistentVolumeClaimSpec | The requested volume.
1 accessModes []string; 2 resources VolumeResourceRequirements present; 3 volumeName string; 4 selector LabelSelector
5 storageClassName *string; 6 volumeMode *string; 7 dataSource TypedLocalObjectReference
8 dataSourceRef TypedObjectReference; 9 volumeAttributesClassName *string

# VolumeResourceRequirements | How large a volume must be.
1 limits {quantity}; 2 requests {quantity}

# TypedLocalObjectReference atomic | Points to an object of a kind in the same namespace.
1 apiGroup *string; 2 kind! string; 3 name! string

# TypedObjectReference | Points to an object of a kind.
1 apiGroup *string; 2 kind! string; 3 name! string; 4 namespace *string

# PersistentVolumeClaim | Asks for a volume.
apiVersion string; kind string; 1 metadata ObjectMeta present; 2 spec PersistentVolumeClaimSpec present; 3 status PersistentVolumeClaimStatus present

# PersistentVolumeClaimStatus | The observed volume.
1 phase string; 2 accessModes []string; 3 capacity {quantity}
4 conditions []PersistentVolumeClaimCondition merge=type; 5 allocatedResources {quantity}
7 allocatedResourceStatuses {string} granular; 8 currentVolumeAttributesClassName *string
9 modifyVolumeStatus ModifyVolumeStatus

# PersistentVolumeClaimCondition | A condition of a claim.
1 type! string; 2 status! string; 3 lastProbeTime time; 4 lastTransitionTime time; 5 reason string; 6 message string

# ModifyVolumeStatus | The progress of the change of a volume.
1 targetVolumeAttributesClassName string; 2 status! string
`;
