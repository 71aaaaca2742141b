import { deepCopy, type Frozen, formatTimestamp, type PrintedSchema } from "@capstan/api";
import type { Clock } from "@capstan/env";
import { builtInStrategy, type Strategy } from "../registry/strategy.ts";
import { formatOf } from "../schema/formats.ts";
import type { FieldProblem } from "../schema/problem.ts";
import type { Draft, StoredObject } from "../storage/storage.ts";
import {
  CLEANUP_FINALIZER,
  CustomResourceDefinition,
  type Definition,
  type DefinitionNames,
  type DefinitionSpec,
  type DefinitionStatus,
  isTrue,
  withCondition,
} from "./definition.ts";
import { nameStatus, type TakenNames } from "./names.ts";
import { unsupportedRules } from "./rule-problems.ts";
import { definitionChangeProblems, definitionNameProblems, definitionProblems } from "./validate.ts";

/** What the strategy of CRDs knows about other kinds. */
interface OtherKinds {
  /** The names of the other kinds of a group. */
  readonly taken: (group: string, except: string) => TakenNames;
  /** Whether this server converts between the versions of the kind whose CRD has this name. */
  readonly converts: (name: string) => boolean;
}

/** The strategy of CRDs. */
export function definitionStrategy(clock: Clock, { taken, converts }: OtherKinds): Strategy {
  return {
    ...builtInStrategy(CustomResourceDefinition),
    generation: true,
    unconditionalUpdate: false,
    plainDeletion: true,
    prepare: (draft, old) => {
      const spec = withDefaults(draft["spec"]);
      const status = (old?.["status"] ?? NO_STATUS) as DefinitionStatus;
      const names = nameStatus(spec.names, status, {
        taken: taken(spec.group, draft.metadata.name),
        now: formatTimestamp(clock.now()),
      });
      draft["spec"] = spec;
      draft["status"] = { ...status, ...names, storedVersions: withStorageVersion(status, spec) };
    },
    problems: (draft, old) => problemsOf(draft, old, converts(draft.metadata.name)),
    warnings: (draft, old) => [
      ...unknownFormats(draft, old).map((format) => `unrecognized format "${format}"`),
      ...(old ? [] : unsupportedRules(draft["spec"] as PrintedSchema)),
    ],
    markDeleting: (draft) => {
      const { finalizers = [] } = draft.metadata;
      draft.metadata.finalizers = [...new Set([...finalizers, CLEANUP_FINALIZER])];
      const status = draft["status"] as DefinitionStatus;
      const conditions = withCondition(
        status.conditions,
        {
          type: "Terminating",
          status: "True",
          reason: "InstanceDeletionPending",
          message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
        },
        formatTimestamp(clock.now()),
      );
      draft["status"] = { ...status, conditions };
    },
  };
}

const NO_STATUS: DefinitionStatus = {
  conditions: [],
  acceptedNames: { kind: "", plural: "" },
  storedVersions: [],
};

/** A complete spec, with everything that the rest of the server relies on. */
function withDefaults(sent: unknown): DefinitionSpec {
  const spec = (deepCopy(sent) ?? {}) as Partial<DefinitionSpec>;
  const names: DefinitionNames = { kind: "", plural: "", ...spec.names };
  const { kind, singular, listKind } = names;
  return {
    conversion: { strategy: "None" },
    ...spec,
    group: spec.group ?? "",
    scope: spec.scope ?? ("" as "Cluster"),
    versions: (spec.versions ?? []).map((version) => ({
      ...version,
      name: version.name ?? "",
      served: version.served ?? false,
      storage: version.storage ?? false,
    })),
    names: {
      ...names,
      ...(!singular && kind !== "" && { singular: kind.toLowerCase() }),
      ...(!listKind && kind !== "" && { listKind: `${kind}List` }),
    },
  };
}

function withStorageVersion({ storedVersions }: DefinitionStatus, { versions }: DefinitionSpec): string[] {
  const storage = versions.find((version) => version.storage)?.name;
  return storage === undefined ? [...storedVersions] : [...new Set([...storedVersions, storage])];
}

function problemsOf(draft: Draft, old: StoredObject | undefined, converts: boolean): FieldProblem[] {
  const { metadata, spec, status } = draft as unknown as Definition;
  const before = old as unknown as Frozen<Definition> | undefined;
  const { annotations = {} } = metadata;
  return [
    // The name cannot change; whether the spec still fits it is covered by the rules on changes.
    ...(before ? [] : definitionNameProblems(metadata.name, spec)),
    ...definitionProblems({ annotations, spec, status }, converts),
    ...(before ? definitionChangeProblems(spec, before.spec, isTrue(before, "Established")) : []),
  ];
}

/** String formats that the server does not check; existing ones have been warned about before. */
function unknownFormats(draft: Draft, old: StoredObject | undefined): string[] {
  const known = new Set(old ? formatsIn(old["spec"]) : []);
  return formatsIn(draft["spec"]).filter((format) => !known.has(format) && !formatOf(format));
}

function formatsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { type, format } = value as { type?: unknown; format?: unknown };
  const own = type === "string" && typeof format === "string" && format !== "" ? [format] : [];
  return [...own, ...Object.values(value).flatMap(formatsIn)];
}
