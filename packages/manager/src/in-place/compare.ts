import type { CanUpdateMachineRequest, Frozen, KubernetesObject, Machine } from "@capstan/api";
import { type Client, Failure } from "@capstan/runtime";
import type { ContractObject } from "../contract/contract-object.ts";
import type { ResolvedReference } from "../contract/resolve.ts";
import { changedPaths } from "@capstan/plan";
import { proposalForm } from "./proposal-form.ts";

/** The difference between a machine and its desired state, as a question to updaters; or why it cannot be updated. */
export type DesiredState =
  | { readonly state: "possible"; readonly request: CanUpdateMachineRequest }
  | { readonly state: "impossible"; readonly paths: readonly string[]; readonly why: string };

/** An object of a machine, and the configuration that its owner would apply over it. */
export interface PartToCompare {
  readonly name: "infraMachine" | "bootstrap";
  readonly existing: ResolvedReference & { readonly state: "found" };
  readonly body: KubernetesObject;
  /** The field manager that created the object. */
  readonly fieldManager: string;
}

/** An object of a machine before and after an update. */
interface ComparedPart {
  readonly current: Frozen<ContractObject>;
  readonly desired: Frozen<ContractObject>;
}

/** The objects of a machine before and after an update. */
export interface ComparedParts {
  readonly infrastructure: ComparedPart;
  readonly bootstrap: ComparedPart | undefined;
}

/** A machine that no updater can change into the desired one. */
export class Impossible extends Error {
  override readonly name = "Impossible";
  readonly path: string;
  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** The desired state of a machine, or why it is impossible. */
export async function desiredStateOr(request: () => Promise<CanUpdateMachineRequest>): Promise<DesiredState> {
  try {
    return { state: "possible", request: await request() };
  } catch (error) {
    if (!(error instanceof Impossible)) throw error;
    return { state: "impossible", paths: [error.path], why: error.message };
  }
}

/**
 * Applies the desired configuration over the existing object, as a dry run with the field manager that created it. So only
 * what the owner changes is a change: defaults of webhooks and fields that providers write are equal on both sides.
 */
export async function comparePart(
  client: Client,
  { name: part, existing, body, fieldManager }: PartToCompare,
): Promise<ComparedPart> {
  const { kind, name } = existing.target;
  try {
    const desired = await client.patch(kind, name, {
      type: "apply",
      body,
      fieldManager,
      force: true,
      dryRun: true,
    });
    return { current: existing.object, desired };
  } catch (error) {
    if (!(error instanceof Failure) || error.failure !== "Terminal") throw error;
    throw new Impossible(`${part}.spec`, `the change is refused: ${error.message}`);
  }
}

/** The question to updaters which of the changes they can make. */
export function updateRequest(
  machine: Frozen<Machine>,
  desired: Frozen<Machine>,
  { infrastructure, bootstrap }: ComparedParts,
): CanUpdateMachineRequest {
  const fields = ({ spec }: Frozen<Machine>): object => ({
    version: spec.version,
    failureDomain: spec.failureDomain,
  });
  const form = proposalForm([infrastructure.current, ...(bootstrap ? [bootstrap.current] : [])]);
  const config = bootstrap && {
    current: form(bootstrap.current, machine),
    desired: form(bootstrap.desired, desired),
  };
  const changes = [
    ...changedPaths("machine.spec", fields(machine), fields(desired)),
    ...(config ? changedPaths("bootstrap.spec", config.current.spec, config.desired.spec) : []),
    ...changedPaths("infraMachine.spec", infrastructure.current.spec, infrastructure.desired.spec),
  ];
  return {
    desiredMachine: plain(form(desired, desired)),
    ...(config && { desiredBootstrapConfig: plain(config.desired) }),
    desiredInfraMachine: plain(infrastructure.desired),
    currentMachine: plain(form(machine, machine)),
    ...(config && { currentBootstrapConfig: plain(config.current) }),
    currentInfraMachine: plain(infrastructure.current),
    changes,
  } as CanUpdateMachineRequest;
}

/** The parts of an object that an updater needs: no status, no managers of fields, no owners. */
function plain({ apiVersion, kind, metadata, ...rest }: Frozen<ContractObject>): object {
  const { name, namespace, uid, labels, annotations } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, ...(labels && { labels }), ...(annotations && { annotations }) },
    spec: rest.spec,
  };
}
