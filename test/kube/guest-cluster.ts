import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  AzureCluster,
  isJsonObject,
  KubeadmControlPlane,
  MachineDeployment,
  MachinePool,
} from "@capstan/api";
import { type Document, parseAllDocuments } from "yaml";

const FOLDER = "examples/ha-cluster";

/** A cluster like `examples/ha-cluster`. */
export interface GuestCluster {
  readonly name: string;
  /** A loopback address of its own for its API server. */
  readonly host: string;
  /** Numbers of machines, where they differ from the example's. */
  readonly replicas?: Readonly<
    Partial<Record<"KubeadmControlPlane" | "MachineDeployment" | "MachinePool", number>>
  >;
}

/** Its manifests, one for each object. */
export function guestCluster({ name, host, replicas = {} }: GuestCluster): readonly string[] {
  const texts = readdirSync(FOLDER)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => readFileSync(join(FOLDER, file), "utf8").replaceAll(/\bbridge\b/g, name));
  return texts.flatMap((text) =>
    parseAllDocuments(text).map((document) => {
      const kind = kindOf(document);
      if (kind === AzureCluster.kind) document.setIn(["spec", "controlPlaneEndpoint"], { host, port: 6443 });
      const count = isSized(kind) ? replicas[kind] : undefined;
      if (count !== undefined) document.setIn(["spec", "replicas"], count);
      return document.toString();
    }),
  );
}

const SIZED = [KubeadmControlPlane.kind, MachineDeployment.kind, MachinePool.kind];

function isSized(kind: string): kind is keyof NonNullable<GuestCluster["replicas"]> {
  return SIZED.includes(kind);
}

function kindOf(document: Document): string {
  const object: unknown = document.toJS();
  return isJsonObject(object) ? String(object["kind"]) : "";
}
