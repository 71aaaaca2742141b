/** What both tables of updates in place register and compare. */
import { type JsonObject, valueAt } from "@capstan/api";
import { stringify } from "yaml";

/** An extension on this machine: its name, its port, and the authority of its certificate in PEM. */
interface LocalExtension {
  readonly name: string;
  readonly port: number;
  readonly authority: string;
}

/** The manifest that registers an extension. */
export function extensionConfig({ name, port, authority }: LocalExtension): string {
  const caBundle = Buffer.from(authority).toString("base64");
  return stringify({
    apiVersion: "runtime.cluster.x-k8s.io/v1beta2",
    kind: "ExtensionConfig",
    metadata: { name },
    spec: { clientConfig: { url: `https://localhost:${port}`, caBundle } },
  });
}

const KEPT = [
  ["metadata", "name"],
  ["metadata", "uid"],
  ["spec", "providerID"],
];

/** The names, UIDs and virtual machines of machines, which an update in place keeps. */
export function identitiesOf(machines: readonly JsonObject[]): string {
  return machines
    .map((machine) => KEPT.map((path) => String(valueAt(machine, path))).join(" "))
    .toSorted()
    .join(", ");
}
