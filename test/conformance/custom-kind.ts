import { expect } from "vitest";
import type { Api } from "./kit.ts";

/** A custom kind that is served. */
export interface CustomKind {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  /** Of the first version. */
  readonly apiVersion: string;
  /** Path of its CustomResourceDefinition. */
  readonly definition: string;
  /** Collection in the namespace of the behaviour, or in the cluster; of the first version unless told. */
  path(version?: string): string;
  /** An object of it. */
  object(name: string, rest?: object): object;
}

/** What differs from a namespaced kind Boat in v1 with a free spec. */
export interface DefinitionOptions {
  readonly scope?: "Namespaced" | "Cluster";
  /** Properties of the whole object in each version. */
  readonly properties?: Readonly<Record<string, object>>;
  /** Merged into each version. */
  readonly version?: object;
  readonly versions?: readonly string[];
  /** Merged into the spec of the definition. */
  readonly spec?: object;
  /** For behaviours that change the definition; others share one with those who ask for the same. */
  readonly own?: boolean;
}

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const FREE: Readonly<Record<string, object>> = {
  spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};

/** A definition in a group of its own. */
export function definitionOf(
  group: string,
  options: DefinitionOptions = {},
): { readonly metadata: { readonly name: string }; readonly spec: Readonly<Record<string, unknown>> } {
  const { scope = "Namespaced", properties = FREE, versions = ["v1"] } = options;
  return {
    metadata: { name: `boats.${group}` },
    spec: {
      group,
      scope,
      names: { plural: "boats", singular: "boat", kind: "Boat", listKind: "BoatList" },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: { type: "object", properties } },
        ...options.version,
      })),
      ...options.spec,
    },
  };
}

/** Creates a definition, waits until its objects can be listed in each version, and tells its group. */
export async function createDefinition(api: Api, options: DefinitionOptions): Promise<string> {
  const group = `${api.unique("fleet")}.example.com`;
  await api.create(DEFINITIONS, definitionOf(group, options));
  await api.eventually(async () => {
    for (const version of options.versions ?? ["v1"])
      expect((await api.get(`/apis/${group}/${version}/boats`)).status).toBe(200);
    const { status } = (await api.get(`${DEFINITIONS}/boats.${group}`)).body;
    expect(status).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: "Established", status: "True" }),
      ]) as unknown,
    });
  });
  return group;
}

/** The kind that a definition of ours defines, as seen from the namespace of a behaviour. */
export function kindIn(api: Api, group: string, options: DefinitionOptions): CustomKind {
  const [first = "v1"] = options.versions ?? [];
  const place = options.scope === "Cluster" ? "boats" : `namespaces/${api.namespace}/boats`;
  const path = (version = first): string => `/apis/${group}/${version}/${place}`;
  return {
    group,
    plural: "boats",
    kind: "Boat",
    apiVersion: `${group}/${first}`,
    definition: `${DEFINITIONS}/boats.${group}`,
    path,
    object: (name, rest) => ({ apiVersion: `${group}/${first}`, kind: "Boat", metadata: { name }, ...rest }),
  };
}
