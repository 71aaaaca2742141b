import {
  AzureMachinePool,
  AzureMachineTemplate,
  type Frozen,
  MachinePool,
  nodePrototypingOf,
  PROTOTYPE_IMAGE_ANNOTATION,
  templatePrototypingOf,
} from "@capstan/api";
import type { Client } from "@capstan/runtime";
import { CommandError } from "../command-error.ts";
import { findPool } from "../rollout/live-pool.ts";
import { poolNamed } from "../rollout/pool-name.ts";

/** A pool or a template whose new machines may boot from an image of one of its machines. */
export type ImageOwner = Frozen<AzureMachinePool> | Frozen<AzureMachineTemplate>;

export function isTemplate(owner: ImageOwner): owner is Frozen<AzureMachineTemplate> {
  return owner.kind === AzureMachineTemplate.kind;
}

/** How its image is renewed; undefined if it is not. */
export function settingsOf(owner: ImageOwner): ReturnType<typeof nodePrototypingOf> {
  return isTemplate(owner) ? templatePrototypingOf(owner) : nodePrototypingOf(owner);
}

/** The field that switches renewals on. */
export function fieldOf(owner: ImageOwner): string {
  return isTemplate(owner)
    ? "the annotation nodeCachingInterval"
    : "spec.template.image.nodePrototyping.interval";
}

/** The name by which commands find it. */
export function nameOf(owner: ImageOwner): string {
  const { name } = owner.metadata;
  return isTemplate(owner) ? `${TEMPLATE_WORD}/${name}` : name;
}

/** The image that new machines boot from, if it is not the one in the spec. */
export function bootsFrom(owner: ImageOwner): string | undefined {
  return isTemplate(owner)
    ? owner.metadata.annotations?.[PROTOTYPE_IMAGE_ANNOTATION]
    : owner.status?.image?.id;
}

const TEMPLATE_WORD = "azuremachinetemplate";
const TEMPLATE_WORDS: ReadonlySet<string> = new Set([TEMPLATE_WORD, `${TEMPLATE_WORD}s`, "amt"]);

/** The namespace of the command, and whether its flag set it. */
interface Place {
  readonly namespace: string;
  readonly isWritten: boolean;
}

/** Finds the pool or the template that a user names. Without a kind, a name of both is refused. */
export async function findImageOwner(client: Client, given: string, place: Place): Promise<ImageOwner> {
  const [word = "", named = "", ...more] = given.split("/");
  if (TEMPLATE_WORDS.has(word.toLowerCase()) && named !== "" && more.length === 0)
    return await templateNamed(client, { name: named, namespace: place.namespace });
  const pool = poolNamed(given, place);
  const template = pool.name.includes("/") ? undefined : await client.find(AzureMachineTemplate, pool);
  if (!template) return await findPool(client, pool);
  const { name } = template.metadata;
  if (!(await isPool(client, pool))) return template;
  throw new CommandError(
    `${name} is the name of a pool and of an AzureMachineTemplate; choose one: amp/${name} or ${nameOf(template)}`,
  );
}

async function isPool(
  client: Client,
  place: { readonly name: string; readonly namespace: string },
): Promise<boolean> {
  const found = await Promise.all([client.find(AzureMachinePool, place), client.find(MachinePool, place)]);
  return found.some((one) => one !== undefined);
}

async function templateNamed(
  client: Client,
  place: { readonly name: string; readonly namespace: string },
): Promise<Frozen<AzureMachineTemplate>> {
  const template = await client.find(AzureMachineTemplate, place);
  if (template) return template;
  const { name, namespace } = place;
  const others = (await client.list(AzureMachineTemplate, { namespace })).map(
    ({ metadata }) => metadata.name,
  );
  const there = others.length === 0 ? "there are none" : `existing: ${others.join(", ")}`;
  throw new CommandError(
    `there is no AzureMachineTemplate ${JSON.stringify(name)} in namespace ${namespace}; ${there}`,
  );
}
