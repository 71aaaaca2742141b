import { Taint } from "../../kubernetes/taint.ts";
import { boolean, integer, listOf, mapOf, object, oneOf, optional, string } from "../../schema/schema.ts";
import { path, texts } from "./fields.ts";

/** How a machine becomes a node. */
const NodeRegistration = object("How the machine becomes a node.", {
  name: optional(string("The name of the node; the host name unless set.", { minLength: 1, maxLength: 253 })),
  criSocket: optional(path("The socket of the container runtime.")),
  taints: optional(
    listOf(
      "Taints of the node. Unless set, control plane nodes get theirs; an empty list means none.",
      Taint,
      { maxItems: 100 },
    ),
  ),
  kubeletExtraArgs: optional(
    mapOf(
      "Further arguments of the kubelet, without the leading dashes.",
      string("The value of an argument."),
    ),
  ),
  ignorePreflightErrors: optional(
    texts("Checks of kubeadm that may fail.", { maxLength: 512, maxItems: 50 }),
  ),
  imagePullPolicy: optional(
    oneOf("When images are pulled; IfNotPresent unless set.", ["Always", "IfNotPresent", "Never"]),
  ),
  imagePullSerial: optional(boolean("Whether images are pulled one after the other; they are unless set.")),
});

/** Where the API server of a machine listens. */
export const LocalApiEndpoint = object("Where the API server of the machine listens.", {
  advertiseAddress: optional(string("The address it tells others.", { minLength: 1, maxLength: 39 })),
  bindPort: optional(integer("The port; 6443 unless set.")),
});

/** What `kubeadm init` and `kubeadm join` have in common. */
export const phaseFields = {
  nodeRegistration: optional(NodeRegistration),
  skipPhases: optional(texts("Phases of kubeadm to leave out.", { maxLength: 256, maxItems: 50 })),
  patches: optional(
    object("Patches of what kubeadm deploys.", {
      directory: optional(path("The directory with the patches on the machine.")),
    }),
  ),
};
