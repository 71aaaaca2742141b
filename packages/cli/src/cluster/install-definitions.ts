import { CustomResourceDefinition, type CustomKind, deepEqual, toConvertedDefinition } from "@capstan/api";
import type { Clock, Env, Transport } from "@capstan/env";
import { type Client, createClient } from "@capstan/runtime";
import { CommandError } from "../command-error.ts";
import { nextDefinition, type StoredDefinition, trusting } from "./definition-change.ts";

/** How many CRDs were created, updated or left unchanged. */
export interface Installed {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

/** How CRDs are installed. */
export interface DefinitionOptions {
  /** The authority of the conversion webhook, in base64; without one, that of the stored CRDs stays. */
  readonly bundle?: string | undefined;
  /** Prints what a long wait is for. */
  readonly say?: ((line: string) => void) | undefined;
}

// A kube-apiserver establishes a CRD in milliseconds, and a busy one on a small machine in a minute.
const ESTABLISHED_WITHIN_MS = 5 * 60_000;
const LONG_WAIT_MS = 10_000;
const ESTABLISHED_POLL_MS = 5;
const LONG_WAIT_POLL_MS = 500;

/** Brings CRDs up to date, writes only those that differ, and waits until all of them are served. */
export async function installDefinitions(
  { env, transport }: { env: Env; transport: Transport },
  kinds: readonly CustomKind[],
  options: DefinitionOptions = {},
): Promise<Installed> {
  const client = createClient({ env, transport, fieldManager: "capstan" });
  const stored = await storedDefinitions(client);
  const results = await Promise.all(
    kinds.map(toConvertedDefinition).map(async (desired) => {
      const old = stored.get(desired.metadata.name);
      const result = await install(client, { desired, old, ...options });
      if (!(old && result === "unchanged" && isEstablished(old)))
        await established(client, env.clock, { name: desired.metadata.name, say: options.say });
      return result;
    }),
  );
  const count = (result: keyof Installed): number => results.filter((one) => one === result).length;
  return { created: count("created"), updated: count("updated"), unchanged: count("unchanged") };
}

/** All CRDs of the server, by name. */
export async function storedDefinitions(client: Client): Promise<ReadonlyMap<string, StoredDefinition>> {
  const definitions = await client.list(CustomResourceDefinition);
  return new Map(definitions.map((one) => [one.metadata.name, one]));
}

async function install(
  client: Client,
  {
    desired,
    old,
    bundle,
  }: Pick<DefinitionOptions, "bundle"> & {
    readonly desired: CustomResourceDefinition;
    readonly old: StoredDefinition | undefined;
  },
): Promise<keyof Installed> {
  if (!old) {
    const { conversion } = desired.spec;
    const spec = { ...desired.spec, ...(conversion && { conversion: trusting(conversion, bundle) }) };
    await client.create(CustomResourceDefinition, { ...desired, spec });
    return "created";
  }
  const next = nextDefinition(old, desired, bundle);
  if (deepEqual(next, old)) return "unchanged";
  await client.update(CustomResourceDefinition, next);
  return "updated";
}

/** Waits until a CRD is served, and says so when that takes long. */
export async function established(
  client: Client,
  clock: Clock,
  { name, say }: { readonly name: string } & Pick<DefinitionOptions, "say">,
): Promise<void> {
  const startedMs = clock.monotonic();
  let isSaid = false;
  for (;;) {
    const definition = await client.get(CustomResourceDefinition, { name });
    if (isEstablished(definition)) return;
    const waitedMs = clock.monotonic() - startedMs;
    if (waitedMs > ESTABLISHED_WITHIN_MS)
      throw new CommandError(
        `CRD ${name} is not served after ${ESTABLISHED_WITHIN_MS / 60_000} minutes: ${whyNot(definition)}; repeat this command when the API server is less busy`,
      );
    const isLong = waitedMs > LONG_WAIT_MS;
    if (isLong && !isSaid) say?.(`Waiting until CRD ${name} is served: ${whyNot(definition)}`);
    isSaid ||= isLong;
    await clock.sleep(isLong ? LONG_WAIT_POLL_MS : ESTABLISHED_POLL_MS);
  }
}

function whyNot({ status }: StoredDefinition): string {
  const conditions = status?.conditions ?? [];
  // The server reports the names of a CRD before it serves it.
  const why = conditions.find((one) => one.status === "False")?.message ?? conditions.at(-1)?.message;
  return why ?? "the API server has not looked at it yet";
}

function isEstablished({ status }: StoredDefinition): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: value }) => type === "Established" && value === "True",
  );
}
