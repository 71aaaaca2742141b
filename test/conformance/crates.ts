import { toConvertedDefinition } from "@capstan/api";
import { expect } from "vitest";
import { PlainCrate } from "../../packages/apiserver/src/crd/converted-kind.fixture.ts";
import type { Api, Server } from "./kit.ts";

/** Crates as seen from the namespace of a behaviour. */
export interface Crates {
  readonly group: string;
  path(version: "v1" | "v2"): string;
  /** A crate named `a`. */
  object(version: "v1" | "v2", spec: object, rest?: object): object;
}

/** The name of the CRD of crates. */
export const CRATES = `${PlainCrate.plural}.${PlainCrate.group}`;

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Creates the CRD of crates, waits until both versions are served, and tells its group. */
export async function createCrates(api: Api, webhook: Server["conversionWebhook"]): Promise<string> {
  const definition = toConvertedDefinition(PlainCrate);
  const { conversion } = definition.spec;
  if (!conversion) throw new Error("crates have no conversion");
  const { webhook: asPrinted } = conversion;
  await api.create(DEFINITIONS, {
    ...definition,
    spec: {
      ...definition.spec,
      conversion: { ...conversion, webhook: { ...asPrinted, ...(webhook && { clientConfig: webhook }) } },
    },
  });
  await api.eventually(async () => {
    for (const version of ["v1", "v2"])
      expect((await api.get(`/apis/${PlainCrate.group}/${version}/crates`)).status).toBe(200);
  });
  return PlainCrate.group;
}

/** Crates in the namespace of a behaviour. */
export function cratesIn({ namespace }: Api, group: string): Crates {
  return {
    group,
    path: (version) => `/apis/${group}/${version}/namespaces/${namespace}/crates`,
    object: (version, spec, rest = {}) => ({
      apiVersion: `${group}/${version}`,
      kind: "Crate",
      metadata: { name: "a", ...rest },
      spec,
    }),
  };
}
