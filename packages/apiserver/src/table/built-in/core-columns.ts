import {
  AGE,
  at,
  type Column,
  column,
  count,
  fields,
  formatLabels,
  list,
  NAME,
  NONE,
  text,
  wideColumn,
} from "../column.ts";

/** The columns of Namespace. */
export const namespaceColumns: readonly Column[] = [
  NAME,
  column("Status", "The phase of the namespace.", (object) => text(at(object, "status", "phase"))),
  AGE,
];

/** The columns of Secret. */
export const secretColumns: readonly Column[] = [
  NAME,
  column("Type", "The type of the secret.", (object) => text(object["type"])),
  column("Data", "The number of values.", (object) => fields(object["data"]).length),
  AGE,
];

/** The columns of ConfigMap. */
export const configMapColumns: readonly Column[] = [
  NAME,
  column(
    "Data",
    "The number of values.",
    (object) => fields(object["data"]).length + fields(object["binaryData"]).length,
  ),
  AGE,
];

/** The columns of ServiceAccount. */
export const serviceAccountColumns: readonly Column[] = [NAME, AGE];

/** The columns of Service. */
export const serviceColumns: readonly Column[] = [
  NAME,
  column("Type", "How the service is reached.", (object) => text(at(object, "spec", "type"))),
  column("Cluster-IP", "Its address inside the cluster.", ({ spec }) => clusterAddress(spec)),
  column("External-IP", "Its addresses outside the cluster.", externalAddress),
  column(
    "Port(s)",
    "The ports it listens on.",
    ({ spec }) => list(at(spec, "ports")).map(formatPort).join(",") || NONE,
  ),
  AGE,
  wideColumn("Selector", "The labels of the pods behind it.", ({ spec }) =>
    formatLabels(at(spec, "selector")),
  ),
];

/** The columns of Lease. */
export const leaseColumns: readonly Column[] = [
  NAME,
  column("Holder", "Who holds the lease.", ({ spec }) => text(at(spec, "holderIdentity"))),
  AGE,
];

/** The columns of VolumeAttachment. */
export const volumeAttachmentColumns: readonly Column[] = [
  NAME,
  {
    ...column("Attacher", "The driver that attaches.", ({ spec }) => text(at(spec, "attacher"))),
    format: "name",
  },
  column("PV", "The volume.", ({ spec }) => text(at(spec, "source", "persistentVolumeName"))),
  column("Node", "The node that the volume is attached to.", ({ spec }) => text(at(spec, "nodeName"))),
  column("Attached", "Whether the volume is attached.", {
    type: "boolean",
    cell: ({ status }) => at(status, "attached") === true,
  }),
  AGE,
];

function clusterAddress(spec: unknown): string {
  return text(list(at(spec, "clusterIPs"))[0]) || text(at(spec, "clusterIP")) || NONE;
}

const PENDING = "<pending>";

function externalAddress({ spec, status }: { readonly [field: string]: unknown }): string {
  const given = list(at(spec, "externalIPs")).map(text);
  const type = text(at(spec, "type"));
  if (type === "ExternalName") return text(at(spec, "externalName"));
  if (type !== "LoadBalancer") return given.join(",") || NONE;
  const balancers = list(at(status, "loadBalancer", "ingress"))
    .map((ingress) => text(at(ingress, "ip")) || text(at(ingress, "hostname")))
    .filter((address) => address !== "");
  return [...[...new Set(balancers)].sort(), ...given].join(",") || PENDING;
}

function formatPort(port: unknown): string {
  const nodePort = count(at(port, "nodePort"));
  const number = `${count(at(port, "port"))}${nodePort > 0 ? `:${nodePort}` : ""}`;
  return `${number}/${text(at(port, "protocol")) || "TCP"}`;
}
