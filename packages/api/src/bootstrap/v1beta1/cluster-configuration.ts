import {
  boolean,
  described,
  duration,
  integer,
  mapOf,
  object,
  oneOf,
  optional,
  string,
} from "../../schema/schema.ts";
import { ExtraArgs, ExtraEnvs, componentFields } from "./component.ts";
import { kubeadmType, path, texts, word } from "./fields.ts";

const ControlPlaneComponent = object("A component of the control plane.", componentFields);

const imageFields = {
  imageRepository: optional(path("The registry to pull the image from.")),
  imageTag: optional(word("The tag of the image.")),
};

/** Where the control plane stores its data. */
export const Etcd = object("Where the control plane stores its data.", {
  local: optional(
    object("An etcd on each machine of the control plane.", {
      ...imageFields,
      dataDir: optional(path("The directory of the data.")),
      extraArgs: optional(ExtraArgs),
      extraEnvs: optional(ExtraEnvs),
      serverCertSANs: optional(
        texts("Further names in the server certificate.", { maxLength: 253, maxItems: 100 }),
      ),
      peerCertSANs: optional(
        texts("Further names in the peer certificate.", { maxLength: 253, maxItems: 100 }),
      ),
    }),
  ),
  external: optional(
    object("An etcd outside of the cluster.", {
      endpoints: texts("Its endpoints.", { maxLength: 512, maxItems: 50 }),
      caFile: path("The file with the certificate authority."),
      certFile: path("The file with the client certificate."),
      keyFile: path("The file with the key of the client certificate."),
    }),
  ),
});

/** The configuration of the cluster for kubeadm. */
export const ClusterConfiguration = object("The configuration of the cluster for kubeadm.", {
  ...kubeadmType,
  etcd: optional(Etcd),
  networking: optional(
    object("The network of the cluster; taken from the Cluster unless set.", {
      serviceSubnet: optional(string("The addresses of services.", { minLength: 1, maxLength: 1024 })),
      podSubnet: optional(string("The addresses of pods.", { minLength: 1, maxLength: 1024 })),
      dnsDomain: optional(string("The domain of services.", { minLength: 1, maxLength: 253 })),
    }),
  ),
  kubernetesVersion: optional(word("The version of the control plane; taken from the Machine unless set.")),
  controlPlaneEndpoint: optional(
    path("The endpoint of the control plane; taken from the Cluster unless set."),
  ),
  apiServer: optional(
    object("The API server.", {
      ...componentFields,
      certSANs: optional(texts("Further names in the certificate.", { maxLength: 253, maxItems: 100 })),
      timeoutForControlPlane: optional(duration("How long to wait for the API server to start.")),
    }),
  ),
  controllerManager: optional(described("The controller manager.", ControlPlaneComponent)),
  scheduler: optional(described("The scheduler.", ControlPlaneComponent)),
  dns: optional(object("The DNS server of the cluster.", imageFields)),
  certificatesDir: optional(path("The directory of the certificates; default: /etc/kubernetes/pki.")),
  imageRepository: optional(path("The registry to pull the images of the control plane from.")),
  featureGates: optional(mapOf("Feature gates of kubeadm.", boolean("Whether the feature is enabled."))),
  clusterName: optional(string("The name of the cluster.", { minLength: 1, maxLength: 63 })),
  certificateValidityPeriodDays: optional(
    integer("How many days certificates are valid; default: 365.", { minimum: 1, maximum: 1095 }),
  ),
  caCertificateValidityPeriodDays: optional(
    integer("How many days certificate authorities are valid; default: 3650.", {
      minimum: 1,
      maximum: 36500,
    }),
  ),
  encryptionAlgorithm: optional(
    oneOf("The algorithm of keys and certificates; default: RSA-2048.", [
      "ECDSA-P256",
      "ECDSA-P384",
      "RSA-2048",
      "RSA-3072",
      "RSA-4096",
    ]),
  ),
});
