import { isJsonObject } from "@capstan/api";
import type { Truth } from "../../world/truth.ts";
import type { Invariant } from "../invariant.ts";
import { PROTOTYPES } from "./image-owners.ts";

const IDENTITIES = [
  "/etc/machine-id",
  "/etc/ssh/ssh_host_ed25519_key",
  "/var/lib/kubelet/pki/kubelet-client-current.pem",
  "/etc/kubernetes/kubelet.conf",
];

/** I8. */
export const sharesNoIdentity: Invariant = {
  name: "shares-no-identity",
  says: "two nodes never share machine id, SSH host key, kubelet key or name",
  watch: (truth) => {
    const check = (): string | undefined => {
      const owners = new Map<string, string>();
      const { core } = truth.azure;
      for (const { machineId } of core.world.machines.records()) {
        // Only what has become a Node counts: a copy that has not booted yet still has the donor's files.
        const node = truth.node(machineId)?.node;
        const disk = node && core.disk(machineId);
        for (const path of disk ? IDENTITIES : []) {
          const key = `${path} ${disk?.read(path) ?? machineId}`;
          const other = owners.get(key);
          if (other !== undefined) return `${machineId} and ${other} have the same ${path}`;
          owners.set(key, machineId);
        }
      }
      return undefined;
    };
    return {
      happened: ({ happening }) =>
        happening.kind === "node" && happening.event === "ready" ? check() : undefined,
      atRest: check,
    };
  },
};

/** What no image may have that is said to be free of the identity of its donor. */
const OF_A_NODE =
  /^\/etc\/(hostname$|kubernetes\/|ssh\/ssh_host_|capstan\/|cni\/net\.d\/)|^\/var\/lib\/(cloud|waagent|cni|containerd\/containers)\/|^\/var\/lib\/kubelet\/(?!image_manager\/)|^\/var\/log\//;
const SCRUBBED_TAG = "capstan_scrubbed";

/** No identity rests in the gallery, and no writable layer of a container. */
export const publishesNoIdentity: Invariant = {
  name: "publishes-no-identity",
  says: "an image version that is said to be scrubbed has no machine id, key, certificate, log or container of its donor",
  watch: (truth) => {
    const known = new Set<string>();
    const check = (): string | undefined => {
      for (const { id } of scrubbedVersions(truth)) {
        if (known.has(id)) continue;
        known.add(id);
        const found = identityIn(filesOf(truth, id));
        if (found !== undefined) return `${id} has ${found}`;
      }
      return undefined;
    };
    return { happened: ({ happening }) => (happening.kind === "arm" ? check() : undefined), atRest: check };
  },
};

function scrubbedVersions(truth: Truth) {
  return [...truth.azure.core.world.resources.table.entries()]
    .map(([, resource]) => resource)
    .filter(({ id, body, state }) => isVersion(id) && state === "Succeeded" && isScrubbed(body));
}

/** The files of a version. */
function filesOf(truth: Truth, id: string): Readonly<Record<string, string>> {
  const [definition = "", version] = id.split(/\/versions\//i);
  const images = truth.azure.core.world.images.versionsOf(definition);
  return images.find((one) => one.version === version)?.files ?? {};
}

/** What in an image identifies its donor. */
function identityIn(files: Readonly<Record<string, string>>): string | undefined {
  const hasId = (files["/etc/machine-id"] ?? "").trim() !== "";
  return Object.keys(files).find((path) => OF_A_NODE.test(path)) ?? (hasId ? "a machine id" : undefined);
}

function isVersion(id: string): boolean {
  return id.toLowerCase().includes(PROTOTYPES) && /\/versions\//i.test(id);
}

function isScrubbed({ tags }: Readonly<Record<string, unknown>>): boolean {
  return isJsonObject(tags) && tags[SCRUBBED_TAG] === "true";
}
