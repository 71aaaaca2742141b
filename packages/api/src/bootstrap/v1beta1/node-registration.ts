import { Taint } from "../../kubernetes/taint.ts";
import { boolean, integer, listOf, mapOf, object, oneOf, optional, string } from "../../schema/schema.ts";
import { path, texts } from "./fields.ts";

/** How a machine becomes a node. */
export const NodeRegistration = object("How the machine becomes a node.", {
  name: optional(string("The name of the node; default: the host name.", { minLength: 1, maxLength: 253 })),
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
    texts("Preflight checks of kubeadm whose errors are ignored.", { maxLength: 512, maxItems: 50 }),
  ),
  imagePullPolicy: optional(
    oneOf("When images are pulled; default: IfNotPresent.", ["Always", "IfNotPresent", "Never"]),
  ),
  imagePullSerial: optional(boolean("Whether images are pulled one after the other; default: true.")),
});

/** The endpoint of the API server of a machine. */
export const LocalApiEndpoint = object("The endpoint of the API server of the machine.", {
  advertiseAddress: optional(string("The address that it advertises.", { minLength: 1, maxLength: 39 })),
  bindPort: optional(integer("The port; default: 6443.")),
});

/** The fields that `kubeadm init` and `kubeadm join` have in common. */
export const phaseFields = {
  nodeRegistration: optional(NodeRegistration),
  skipPhases: optional(texts("Phases of kubeadm to skip.", { maxLength: 256, maxItems: 50 })),
  patches: optional(
    object("Patches of the manifests that kubeadm deploys.", {
      directory: optional(path("The directory with the patches on the machine.")),
    }),
  ),
};
