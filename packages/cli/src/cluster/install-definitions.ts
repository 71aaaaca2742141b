import {
  builtInKind,
  type CustomKind,
  type CustomResourceDefinition,
  deepEqual,
  type Frozen,
  type Kind,
  toCustomResourceDefinition,
} from "@capstan/api";
import type { Clock, Env, Transport } from "@capstan/env";
import { type Client, createClient } from "@capstan/runtime";
import { CommandError } from "../command-error.ts";

/** How many CRDs were created, updated or left unchanged. */
export interface Installed {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

type Definition = CustomResourceDefinition & {
  status?: { conditions?: readonly { type: string; status: string; message?: string }[] };
};

const DefinitionKind: Kind<Definition> = builtInKind<Definition>({
  group: "apiextensions.k8s.io",
  version: "v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
  subresources: ["status"],
});

// The server establishes a CRD with its next write; only a failing disk takes longer than this.
const ESTABLISHED_WITHIN_MS = 10_000;
const ESTABLISHED_POLL_MS = 5;

/** Brings CRDs up to date, writes only those that differ, and waits until all of them are served. */
export async function installDefinitions(
  { env, transport }: { env: Env; transport: Transport },
  kinds: readonly CustomKind[],
  { toDefinition = toCustomResourceDefinition }: { toDefinition?: typeof toCustomResourceDefinition } = {},
): Promise<Installed> {
  const client = createClient({ env, transport, fieldManager: "capstan" });
  const stored = new Map((await client.list(DefinitionKind)).map((one) => [one.metadata.name, one]));
  const results = await Promise.all(
    kinds.map(toDefinition).map(async (desired) => {
      const old = stored.get(desired.metadata.name);
      const result = await install(client, desired, old);
      if (!(old && result === "unchanged" && isEstablished(old)))
        await established(client, env.clock, desired.metadata.name);
      return result;
    }),
  );
  const count = (result: keyof Installed): number => results.filter((one) => one === result).length;
  return { created: count("created"), updated: count("updated"), unchanged: count("unchanged") };
}

async function install(
  client: Client,
  desired: CustomResourceDefinition,
  old: Frozen<Definition> | undefined,
): Promise<keyof Installed> {
  if (!old) {
    await client.create(DefinitionKind, desired);
    return "created";
  }
  // Keep what other clients added: their labels, and the conversion strategy where our manifest does not set it.
  const labels = { ...old.metadata.labels, ...desired.metadata.labels };
  const { conversion } = old.spec as { conversion?: unknown };
  const next = {
    ...old,
    metadata: { ...old.metadata, ...(Object.keys(labels).length > 0 && { labels }) },
    spec: { ...(conversion !== undefined && { conversion }), ...desired.spec },
  } as unknown as Frozen<Definition>;
  if (deepEqual(next, old)) return "unchanged";
  await client.update(DefinitionKind, next);
  return "updated";
}

async function established(client: Client, clock: Clock, name: string): Promise<void> {
  const deadlineMs = clock.monotonic() + ESTABLISHED_WITHIN_MS;
  for (;;) {
    const definition = await client.get(DefinitionKind, { name });
    if (isEstablished(definition)) return;
    if (clock.monotonic() > deadlineMs) {
      const why = definition.status?.conditions?.find(({ status }) => status === "False")?.message;
      throw new CommandError(
        `CRD ${name} is not served after 10 s: ${why ?? "it has no condition that says why"}`,
      );
    }
    await clock.sleep(ESTABLISHED_POLL_MS);
  }
}

function isEstablished({ status }: Frozen<Definition>): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: value }) => type === "Established" && value === "True",
  );
}
