import {
  type CustomKind,
  deepEqual,
  type Kind,
  type ScalePaths,
  toConvertedDefinition,
  type VersionConversion,
} from "@capstan/api";
import { customStrategy } from "../registry/strategy.ts";
import type { Resource } from "../registry/registry.ts";
import { compileSchema, type SchemaNode } from "../schema/node.ts";
import type { DefinitionSpec, DefinitionVersion } from "./definition.ts";

/** What is known about a kind beside its CRD. */
interface Origin {
  /** Objects with a later resourceVersion were written under this definition. */
  readonly since: number;
  /** The kind, if the server has it from its start. */
  readonly kind?: CustomKind;
  /** How the server converts between the versions of this kind, if the CRD wants that. */
  readonly convert?: VersionConversion | undefined;
}

/** The resources of a kind that a CRD defines: one for each served version. */
export function definedResources(spec: DefinitionSpec, { since, kind, convert }: Origin): Resource[] {
  const storage = spec.versions.find((version) => version.storage);
  if (!storage) return [];
  const schemas = compiled(spec);
  const stored = schemas.get(`${spec.group}/${storage.name}`) ?? ANYTHING;
  const scales = scalesOf(spec);
  return spec.versions
    .filter(({ served }) => served)
    .map((version) => ({
      kind: kind ? inVersionOf(kind, version) : kindOf(spec, storage, version),
      custom: {
        names: spec.names,
        stored,
        schemas,
        convert: spec.conversion?.strategy === "Webhook" ? convert : undefined,
        scales,
        printed: version.schema?.openAPIV3Schema,
        scale: version.subresources?.scale,
        columns: version.additionalPrinterColumns ?? [],
        deprecation: deprecationOf(spec, version),
        since,
        reread: new WeakMap(),
      },
      schema: schemas.get(`${spec.group}/${version.name}`) ?? ANYTHING,
      strategy: customStrategy(
        (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, "")),
      ),
      apiVersion: `${spec.group}/${version.name}`,
      table: `${spec.group}/${spec.names.plural}`,
    }));
}

function deprecationOf({ group, names }: DefinitionSpec, version: DefinitionVersion): string | undefined {
  if (version.deprecated !== true) return undefined;
  return version.deprecationWarning ?? `${group}/${version.name} ${names.kind} is deprecated`;
}

function scalesOf({ group, versions }: DefinitionSpec): ReadonlyMap<string, ScalePaths> {
  return new Map(
    versions.flatMap(({ name, subresources }): [string, ScalePaths][] =>
      subresources?.scale ? [[`${group}/${name}`, subresources.scale]] : [],
    ),
  );
}

/** The resources of a kind of ours, from the CRD that would define it. */
export function kindResources(kind: CustomKind, since: number, convert?: VersionConversion): Resource[] {
  return definedResources(specOf(kind), { since, kind, convert });
}

const specs = new WeakMap<CustomKind, DefinitionSpec>();

/** The spec of the CRD of one of our kinds; cached, because simulations start very many servers. */
export function specOf(kind: CustomKind): DefinitionSpec {
  const known = specs.get(kind);
  if (known) return known;
  const spec = toConvertedDefinition(kind).spec as unknown as DefinitionSpec;
  specs.set(kind, spec);
  return spec;
}

const ANYTHING = compileSchema({ type: "object", "x-kubernetes-preserve-unknown-fields": true });

const compilations = new WeakMap<DefinitionSpec, ReadonlyMap<string, SchemaNode>>();

/** The compiled schemas of all versions, by `apiVersion`. Versions with equal schemas share one. */
function compiled(spec: DefinitionSpec): ReadonlyMap<string, SchemaNode> {
  const known = compilations.get(spec);
  if (known) return known;
  const done: { schema: unknown; node: SchemaNode }[] = [];
  const schemas = new Map<string, SchemaNode>();
  for (const { name, schema: { openAPIV3Schema: schema } = {} } of spec.versions) {
    if (!schema) continue;
    const same = done.find((one) => deepEqual(one.schema, schema));
    const node = same?.node ?? compileSchema(schema);
    if (!same) done.push({ schema, node });
    schemas.set(`${spec.group}/${name}`, node);
  }
  compilations.set(spec, schemas);
  return schemas;
}

/** A kind of ours, with the subresources of one of its versions. */
function inVersionOf(kind: CustomKind, version: DefinitionVersion): Kind {
  const isConverted = kind.converted.some((other) => other.version === version.name);
  return isConverted ? { ...kind, subresources: subresourcesOf(version) } : kind;
}

function subresourcesOf({ subresources: { status, scale } = {} }: DefinitionVersion): string[] {
  return [...(status ? ["status"] : []), ...(scale ? ["scale"] : [])];
}

function kindOf(
  { group, names, scope }: DefinitionSpec,
  storage: DefinitionVersion,
  version: DefinitionVersion,
): Kind {
  return {
    group,
    version: storage.name,
    apiVersion: `${group}/${storage.name}`,
    kind: names.kind,
    plural: names.plural,
    namespaced: scope === "Namespaced",
    subresources: subresourcesOf(version),
  };
}
