import { type Frozen, Node, UPDATE_INSTANCE_ANNOTATION } from "@capstan/api";
import { type CrashPoint, faultOf } from "@capstan/sim";
import { isReady, type MachineWorld, machineWorld } from "./machine-world.ts";

const MINUTE_MS = 60_000;

/** The result of the story, without values that differ between runs. */
export interface Ending {
  readonly writes: number;
  readonly end: unknown;
  readonly hasCrashed: boolean;
}

/** Two machines run pods; one is updated in place, then the other is deleted; optionally with a crash at one write. */
export async function actStory(point?: CrashPoint): Promise<Ending> {
  const machines = await machineWorld({
    capacity: 2,
    ...(point && { world: { faults: [faultOf(point)] } }),
  });
  await machines.deploy("web", 3, { maxUnavailable: 1 });
  await machines.live(5 * MINUTE_MS);
  const { metadata } = await machines.node("0");
  const body = { metadata: { labels: { "example.com/rack": "7" } } };
  await machines.world.run(machines.workload.patch(Node, metadata, { type: "merge", body }));
  await machines.update("0", "v1-bb");
  await machines.until(async () => isUpdated(machines), 60 * MINUTE_MS);
  await machines.delete("1");
  await machines.until(async () => (await machines.machines()).length === 1, 60 * MINUTE_MS);
  await machines.live(15 * MINUTE_MS);
  return {
    writes: machines.world.testedWrites,
    end: await endOf(machines),
    hasCrashed: machines.world.managers.running()[0]?.process.name !== "manager-1",
  };
}

async function isUpdated(machines: MachineWorld): Promise<boolean> {
  const { metadata } = await machines.machine("0");
  return metadata.annotations?.[UPDATE_INSTANCE_ANNOTATION] === undefined;
}

async function endOf(machines: MachineWorld): Promise<unknown> {
  const all = await machines.machines();
  return {
    machines: all.map((machine) => [
      machine.metadata.name,
      machine.metadata.annotations,
      machine.status?.modelHash,
      isReady(machine),
      (machine.status?.conditions ?? []).map(({ type, status, reason }) => [type, status, reason]),
    ]),
    nodes: (await machines.nodes()).map(nodeFacts),
  };
}

function nodeFacts({ metadata, spec }: Frozen<Node>): unknown {
  return [metadata.name, metadata.labels?.["example.com/rack"], metadata.annotations, spec];
}
