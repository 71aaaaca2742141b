import { inStoredVersion, type KubeadmConfig, parseYaml } from "@capstan/api";
import { RSA_AUTHORITY } from "./authority.fixture.ts";
import type { Worker } from "./worker-data.ts";

/** A config that uses every field for workers, as users of CAPZ write it, in v1beta1. */
const GIVEN = parseYaml(`
joinConfiguration:
  caCertPath: /etc/kubernetes/pki/other-ca.crt
  discovery:
    timeout: 7m
  nodeRegistration:
    name: '{{ ds.meta_data["local_hostname"] }}'
    criSocket: unix:///run/containerd/containerd.sock
    taints:
    - {key: dedicated, value: batch, effect: NoSchedule}
    kubeletExtraArgs:
      node-labels: pool=blue
      cloud-provider: external
      azure-container-registry-config: /etc/kubernetes/azure.json
    ignorePreflightErrors: [SystemVerification]
    imagePullPolicy: IfNotPresent
    imagePullSerial: false
  skipPhases: [preflight]
  patches:
    directory: /etc/kubernetes/patches
files:
- path: /etc/kubernetes/azure.json
  owner: root:root
  permissions: "0644"
  contentFrom: {secret: {name: azure-json, key: worker-node-azure.json}}
- path: /etc/profile.d/proxy.sh
  append: true
  content: |
    export NO_PROXY='10.0.0.0/8'
    export HOST={{ ds.meta_data.local_hostname }}
- path: /etc/motd
  encoding: base64
  content: aGVsbG8K
- path: /opt/blob
  contentFrom: {secret: {name: blob, key: bytes}}
users:
- name: capi
  gecos: Cluster API
  groups: docker, adm
  primaryGroup: capi
  homeDir: /home/capi
  shell: /bin/bash
  lockPassword: false
  sudo: ALL=(ALL) NOPASSWD:ALL
  passwdFrom: {secret: {name: passwords, key: capi}}
  sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIDnY9 capi@example.com]
- name: gone
  inactive: true
  passwd: $6$rounds=4096$abc
mounts:
- [LABEL=etcd_disk, /var/lib/etcddisk, auto, "defaults,nofail", "0", "2"]
diskSetup:
  partitions:
  - {device: /dev/disk/azure/scsi1/lun0, layout: true, overwrite: false, tableType: gpt}
  - device: /dev/sdc
    layout: true
    diskLayout: [{percentage: 30, partitionType: LinuxSwap}, {percentage: 70}]
  filesystems:
  - {device: /dev/disk/azure/scsi1/lun0, filesystem: ext4, label: etcd_disk, extraOpts: [-E, lazy_itable_init=1]}
  - {device: ephemeral0.1, filesystem: ext4, label: ephemeral0, partition: auto, replaceFS: ntfs, overwrite: false}
bootCommands:
- echo "$(date)" >> /var/log/boots
preKubeadmCommands:
- hostnamectl set-hostname "{{ ds.meta_data.local_hostname }}"
- "echo 'a: b' | tee -a /etc/x"
postKubeadmCommands:
- |
  for each in 1 2; do
    echo "$each" 'and more'
  done
ntp:
  enabled: true
  servers: [time.example.com, 169.254.169.254]
format: cloud-config
verbosity: 5
useExperimentalRetryJoin: true
`);

const NAMES = {
  apiVersion: "bootstrap.cluster.x-k8s.io/v1beta1",
  kind: "KubeadmConfig",
  metadata: { name: "a", namespace: "default" },
};

/** The spec of a config that uses every field for workers. */
export const RICH_SPEC = inStoredVersion({ ...NAMES, spec: GIVEN })?.object["spec"] as KubeadmConfig["spec"];

/** A worker with that spec. */
export const RICH_WORKER: Worker = {
  spec: RICH_SPEC,
  version: "v1beta4",
  target: {
    endpoint: "c1-4f2d.westeurope.cloudapp.azure.com:6443",
    authority: { pem: RSA_AUTHORITY.pem, hashes: [RSA_AUTHORITY.hash] },
    token: "abcdef.0123456789abcdef",
  },
  values: new Map([
    ["azure-json/worker-node-azure.json", Buffer.from('{\n  "cloud": "AzurePublicCloud"\n}\n')],
    ["blob/bytes", Buffer.from([0xff, 0x00, 0x80])],
    ["passwords/capi", Buffer.from("$6$salt$hash\n")],
  ]),
};
