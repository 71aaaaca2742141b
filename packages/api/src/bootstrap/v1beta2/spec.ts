/** How a machine is set up with kubeadm, in v1beta2: what differs from v1beta1 is defined here, the rest is the same. */
import { nonEmpty } from "../../schema/non-empty.ts";
import {
  type Static,
  described,
  integer,
  listMap,
  listOf,
  object,
  optional,
  string,
  timestamp,
} from "../../schema/schema.ts";
import { ClusterConfiguration, Etcd } from "../v1beta1/cluster-configuration.ts";
import { componentFields } from "../v1beta1/component.ts";
import { DiskSetup, Partition } from "../v1beta1/disk-setup.ts";
import { mounts, path, texts } from "../v1beta1/fields.ts";
import { InitConfiguration } from "../v1beta1/init-configuration.ts";
import { Discovery, JoinConfiguration } from "../v1beta1/join-configuration.ts";
import { NodeRegistration } from "../v1beta1/node-registration.ts";
import { KubeadmConfigSpec as OlderSpec } from "../v1beta1/spec.ts";

const Arguments = listMap(
  "Further arguments, without the leading dashes.",
  object("An argument.", {
    name: string("The name of the argument.", { minLength: 1, maxLength: 256 }),
    value: string("The value of the argument.", { minLength: 0, maxLength: 1024 }),
  }),
  {
    keys: ["name", "value"],
    maxItems: 100,
    rules: [{ rule: "self.all(x, self.exists_one(y, x.name == y.name))", message: "name must be unique" }],
  },
);

const seconds = (description: string) => optional(integer(description, { minimum: 0 }));

/** How long the steps of kubeadm may take. */
export const Timeouts = object("How long the steps of kubeadm may take.", {
  controlPlaneComponentHealthCheckSeconds: seconds(
    "How long to wait for the components of the control plane.",
  ),
  kubeletHealthCheckSeconds: seconds("How long to wait for the kubelet."),
  kubernetesAPICallSeconds: seconds("How long to wait for the API server to answer."),
  etcdAPICallSeconds: seconds("How long to wait for etcd to answer."),
  tlsBootstrapSeconds: seconds("How long to wait for the certificate of the kubelet."),
  discoverySeconds: seconds("How long the discovery may take."),
});

const registration = {
  nodeRegistration: optional(
    object("How the machine becomes a node.", {
      ...NodeRegistration.properties,
      kubeletExtraArgs: optional(described("Further arguments of the kubelet.", Arguments)),
    }),
  ),
  timeouts: optional(Timeouts),
};

const LocalApiEndpoint = object("The endpoint of the API server of the machine.", {
  advertiseAddress: optional(string("The address that it advertises.", { minLength: 1, maxLength: 39 })),
  bindPort: optional(integer("The port; default: 6443.", { minimum: 1 })),
});

const component = { ...componentFields, extraArgs: optional(Arguments) };
const { local: _local, ...etcdFields } = Etcd.properties;
const {
  apiVersion: _apiVersion,
  kind: _kind,
  networking: _networking,
  kubernetesVersion: _version,
  clusterName: _name,
  ...clusterFields
} = ClusterConfiguration.properties;
const { apiVersion: _a, kind: _k, ...initFields } = InitConfiguration.properties;
const { apiVersion: _b, kind: _l, ...joinFields } = JoinConfiguration.properties;
const { timeout: _timeout, ...discoveryFields } = Discovery.properties;
const { useExperimentalRetryJoin: _retry, ...specFields } = OlderSpec.properties;
const { layout, ...partitionFields } = Partition.properties;

const NewerClusterConfiguration = object("The configuration of the cluster for kubeadm.", {
  ...clusterFields,
  etcd: optional(
    object("Where the control plane stores its data.", {
      ...etcdFields,
      local: optional(
        object("An etcd on each machine of the control plane.", {
          ...Etcd.properties.local.properties,
          extraArgs: optional(Arguments),
        }),
      ),
    }),
  ),
  apiServer: optional(
    object("The API server.", {
      ...component,
      certSANs: optional(texts("Further names in the certificate.", { maxLength: 253, maxItems: 100 })),
    }),
  ),
  controllerManager: optional(object("The controller manager.", component)),
  scheduler: optional(object("The scheduler.", component)),
});

const NewerInitConfiguration = object(
  "The configuration of `kubeadm init`, on the first control plane machine.",
  {
    ...initFields,
    bootstrapTokens: optional(
      listOf(
        "Tokens to create.",
        object("A token that nodes join with.", {
          token: string("The token, as id.secret.", { minLength: 1, maxLength: 23 }),
          description: optional(path("What the token is for.")),
          ttlSeconds: seconds("How long the token is valid; default: 86400."),
          expires: optional(timestamp("When the token expires; instead of ttlSeconds.")),
          usages: optional(texts("What the token may be used for.", { maxLength: 256, maxItems: 100 })),
          groups: optional(texts("The groups that its bearer is in.", { maxLength: 256, maxItems: 100 })),
        }),
        { maxItems: 100 },
      ),
    ),
    localAPIEndpoint: optional(LocalApiEndpoint),
    ...registration,
  },
);

const NewerJoinConfiguration = object("The configuration of `kubeadm join`, on every other machine.", {
  ...joinFields,
  discovery: optional(object("How the machine finds the cluster.", discoveryFields)),
  controlPlane: optional(
    object("Join as a control plane machine.", { localAPIEndpoint: optional(LocalApiEndpoint) }),
  ),
  ...registration,
});

const NewerPartition = object(
  "How a disk is partitioned.",
  { ...partitionFields, layout: optional(layout) },
  {
    rules: [
      {
        rule: "[has(self.layout),has(self.diskLayout)].filter(x,x==true).size() == 1",
        message: "exactly one of layout and diskLayout must be set",
      },
    ],
  },
);

// An empty list or object has a meaning of its own in these fields, or upstream's schema allows it.
const MAY_BE_EMPTY = [
  "taints",
  "controlPlane",
  "filesystems",
  "partitions",
  "extraOpts",
  "servers",
  "sshAuthorizedKeys",
  "valueFrom",
];

/** How a machine is set up and becomes a node with kubeadm, in v1beta2. */
export const KubeadmConfigSpec = nonEmpty(
  object("How the machine is set up and becomes a node with kubeadm.", {
    ...specFields,
    clusterConfiguration: optional(NewerClusterConfiguration),
    initConfiguration: optional(NewerInitConfiguration),
    joinConfiguration: optional(NewerJoinConfiguration),
    mounts: optional(mounts({ maxItems: 100 })),
    diskSetup: optional(
      object("How the disks are partitioned and formatted at the first boot.", {
        ...DiskSetup.properties,
        partitions: optional(listOf("How disks are partitioned.", NewerPartition, { maxItems: 100 })),
      }),
    ),
  }),
  MAY_BE_EMPTY,
);

/** How a machine is set up and becomes a node with kubeadm. */
export type KubeadmConfigSpec = Static<typeof KubeadmConfigSpec>;

/** The same where it is part of another spec. */
export const NonEmptyKubeadmConfigSpec = { ...KubeadmConfigSpec, minProperties: 1 };
