import {
  AzureMachinePool,
  AzureMachineTemplate,
  type Cluster,
  formatTimestamp,
  type Frozen,
  type Kind,
  PROTOTYPE_NOW_ANNOTATION,
  PROTOTYPE_PIN_ANNOTATION,
  PROTOTYPE_ROLLBACK_ANNOTATION,
} from "@capstan/api";
import { planPrototype } from "@capstan/manager";
import { decidePin } from "@capstan/plan";
import type { Env } from "@capstan/env";
import type { Client } from "@capstan/runtime";
import { type UserPlace, withUserClient } from "../cluster/user-access.ts";
import type { UserAccess } from "../cluster/user-kubeconfig.ts";
import { CommandError } from "../command-error.ts";
import { EXIT } from "../exit-codes.ts";
import { titleOf } from "../plan/read/given-objects.ts";
import {
  benefitText,
  type MachinesByImage,
  machinesToMeasure,
  poolMachinesByImage,
} from "../prototype/benefit.ts";
import {
  fieldOf,
  findImageOwner,
  type ImageOwner,
  isTemplate,
  nameOf,
  settingsOf,
} from "../prototype/image-owner.ts";
import { readTemplate } from "../prototype/live-template.ts";
import { listText, offBecause, statusText } from "../prototype/prototype-text.ts";
import { readPods } from "../prototype/workload-pods.ts";
import { readPool } from "../rollout/live-pool.ts";
import { forWindow } from "../render/emphasis.ts";
import { widthFor } from "../render/width.ts";
import type { Shell } from "../shell.ts";

/** Which pool or template, and in which cluster. */
export interface PrototypeOptions {
  readonly access: UserAccess;
  /** The pool or template as the command line names it. */
  readonly owner: string;
}

/** `capstan prototype list`: the pools and templates that renew their image. */
export async function prototypeList(
  shell: Shell,
  { access, isEverywhere }: { readonly access: UserAccess; readonly isEverywhere: boolean },
): Promise<number> {
  const owners = await withUserClient(shell, access, (client, { namespace }) => {
    const scope = isEverywhere ? {} : { namespace };
    return Promise.all([client.list(AzureMachinePool, scope), client.list(AzureMachineTemplate, scope)]);
  });
  shell.out.write(forWindow(shell, listText(owners.flat(), widthFor(shell))));
  return EXIT.done;
}

/** `capstan prototype status`: phase, donor, time line, versions and benefit of one pool or template. */
export async function prototypeStatus(shell: Shell, options: PrototypeOptions): Promise<number> {
  const text = await withUserClient(shell, options.access, async (client, place) => {
    const owner = await ownerIn(client, place, options);
    const { next, machines, cluster } = await liveOwner(client, owner, place.now());
    return statusText(owner, {
      next: next?.why ?? `nothing: ${fieldOf(owner)} is not set`,
      benefit: await benefitOf({ env: shell.env, client }, owner, { machines, cluster }),
      nowMs: place.now(),
      columns: widthFor(shell),
    });
  });
  shell.out.write(forWindow(shell, text));
  return EXIT.done;
}

function ownerIn(client: Client, { namespace }: UserPlace, options: PrototypeOptions): Promise<ImageOwner> {
  const isWritten = options.access.namespace !== undefined;
  return findImageOwner(client, options.owner, { namespace, isWritten });
}

async function liveOwner(client: Client, owner: ImageOwner, nowMs: number) {
  if (isTemplate(owner)) return await readTemplate(client, owner, nowMs);
  const parts = await readPool(client, owner);
  const machines = poolMachinesByImage(owner, parts.machines);
  return { next: planPrototype(parts, nowMs), machines, cluster: parts.cluster };
}

/** What machines from images of the owner save, as far as the workload cluster can be asked. */
async function benefitOf(
  access: { readonly env: Env; readonly client: Client },
  owner: ImageOwner,
  {
    machines,
    cluster,
  }: { readonly machines: MachinesByImage; readonly cluster: Frozen<Cluster> | undefined },
): Promise<string> {
  const measured = [machines.own, machines.base].flatMap((some) => machinesToMeasure(owner, some));
  if (!cluster || measured.length === 0) return benefitText(machines, new Map());
  const read = await readPods(access, cluster, measured);
  if ("pods" in read) return benefitText(machines, read.pods);
  return `${benefitText(machines, new Map())}\npods are not measured: ${read.why}\n`;
}

/** What a user may ask of the controller. */
export type PrototypeRequest =
  | { readonly verb: "now" | "rollback" | "unpin" }
  | { readonly verb: "pin"; readonly version: string };

/** `capstan prototype now`, `rollback`, `pin` and `unpin`: asks the controller by an annotation. */
export async function prototypeAsk(
  shell: Shell,
  request: PrototypeRequest,
  options: PrototypeOptions,
): Promise<number> {
  const said = await withUserClient(shell, options.access, async (client, place) => {
    const owner = await ownerIn(client, place, options);
    refuse(owner, request);
    const { name, namespace } = owner.metadata;
    const kind: Kind = isTemplate(owner) ? AzureMachineTemplate : AzureMachinePool;
    const body = { metadata: { annotations: annotationsFor(request, owner, place.now()) } };
    await client.patch(kind, { name, namespace }, { type: "merge", body });
    return `${titleOf(owner)}: ${DONE[request.verb]}; follow it with capstan prototype status ${nameOf(owner)}\n`;
  });
  shell.out.write(said);
  return EXIT.done;
}

const DONE = {
  now: "a renewal is asked for, and begins as soon as its nodes may be disturbed",
  rollback: "a rollback is asked for",
  pin: "the version is pinned",
  unpin: "no version is pinned, and images are renewed again",
} as const;

function annotationsFor(
  request: PrototypeRequest,
  owner: ImageOwner,
  nowMs: number,
): Readonly<Record<string, string | null>> {
  const now = formatTimestamp(nowMs);
  switch (request.verb) {
    case "now":
      return { [PROTOTYPE_NOW_ANNOTATION]: now };
    case "rollback":
      return { [PROTOTYPE_ROLLBACK_ANNOTATION]: `${now} ${activeOf(owner)?.version ?? ""}` };
    case "pin":
      return { [PROTOTYPE_PIN_ANNOTATION]: request.version };
    case "unpin":
      return { [PROTOTYPE_PIN_ANNOTATION]: null };
  }
}

function activeOf({ status }: ImageOwner) {
  return status?.nodePrototyping?.history?.find(({ state }) => state === "Active");
}

function refuse(owner: ImageOwner, request: PrototypeRequest): void {
  const { verb } = request;
  if (!settingsOf(owner))
    throw new CommandError(`${titleOf(owner)} does not renew its image; set ${fieldOf(owner)}`);
  const off = verb === "now" ? offBecause(owner) : undefined;
  if (off !== undefined) throw new CommandError(`${titleOf(owner)} renews no image: ${off}`);
  if (verb === "pin") refusePin(owner, request.version);
  if (verb === "rollback" && !activeOf(owner))
    throw new CommandError(
      `${titleOf(owner)} has no image of its own: new nodes boot from the image in its spec`,
    );
}

function refusePin(owner: ImageOwner, version: string): void {
  const decision = decidePin(version, owner.status?.nodePrototyping?.history ?? []);
  if (decision.do === "refuse") throw new CommandError(`${titleOf(owner)}: ${decision.why}`);
}
