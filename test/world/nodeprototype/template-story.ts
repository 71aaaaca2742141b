/** The story of one renewal of a template and of the machines that are created after it, for crashes at any write. */
import {
  AzureMachine,
  AzureMachineTemplate,
  Machine,
  MachineDeployment,
  PROTOTYPE_IMAGE_ANNOTATION,
  PROTOTYPE_NOW_ANNOTATION,
} from "@capstan/api";
import { NODE_IMAGE_INVARIANTS, type Rehearsal, type World } from "@capstan/sim";
import { MINUTE_MS, patch } from "../kit/fleet-world.ts";
import { plantCluster } from "../kit/pool-world.ts";
import { listed } from "../azuremachinepool/stories.ts";
import { leftovers, resourcesOf } from "../kit/prototype-world.ts";
import { nodesIn, type StoryOptions } from "./renewal-story.ts";
import {
  createWorkers,
  diskOfMachine,
  GUESTS,
  templateControllers,
  templateStored,
  WORKERS,
} from "./template-world.ts";

const PATIENCE_MS = 8 * 60 * MINUTE_MS;
// No second renewal begins by itself.
const LONG = "8000h";
const PATCH = "/etc/patch";

/** The same with the policy RollingUpdate: the machines that exist are replaced. */
export function rollingTemplateStory(seed: string, options: StoryOptions = {}): Rehearsal {
  return templateStory(seed, options, {
    nodeCachingMode: { interval: LONG, rolloutPolicy: "RollingUpdate" },
  });
}

/** A MachineDeployment of two whose template is renewed, then scaled to three. */
export function templateStory(
  seed: string,
  { world: options, begins, ends }: StoryOptions = {},
  caching: Parameters<typeof createWorkers>[1] = { annotations: { nodeCachingInterval: LONG } },
): Rehearsal {
  return {
    world: {
      seed,
      controllers: templateControllers,
      invariants: NODE_IMAGE_INVARIANTS,
      guests: GUESTS,
      ...options,
    },
    story: async (world) => {
      await plantCluster(world);
      await createWorkers(world, caching);
      for (const name of vmsIn(world)) diskOfMachine(world, name).write(PATCH, "1.2.3");
      await begins?.(world);
      await patch(world, AzureMachineTemplate, WORKERS, {
        metadata: { annotations: { [PROTOTYPE_NOW_ANNOTATION]: "1" } },
      });
      await world.until(() => isRenewed(world), PATIENCE_MS);
      await patch(world, MachineDeployment, WORKERS, { spec: { replicas: 3 } });
      await world.until(() => isSettled(world, 3), PATIENCE_MS);
      ends?.(world);
    },
    endState: endOf,
  };
}

function vmsIn(world: World): readonly string[] {
  return listed<AzureMachine>(world, AzureMachine).map(({ metadata }) => metadata.name);
}

function isRenewed(world: World): boolean {
  const { status } = templateStored(world) ?? {};
  return status?.lastImagePrototype !== undefined && status.nodePrototyping?.phase === "Idle";
}

function isSettled(world: World, replicas: number): boolean {
  const { status } = listed<MachineDeployment>(world, MachineDeployment)[0] ?? {};
  const counts = [status?.replicas, status?.readyReplicas, status?.upToDateReplicas];
  return counts.every((count) => count === replicas);
}

/** What users see at the end: without times and names, which differ between good runs. */
function endOf(world: World): unknown {
  const image = templateStored(world)?.metadata.annotations?.[PROTOTYPE_IMAGE_ANNOTATION];
  return {
    ...recordIn(world, image),
    leftovers: leftovers(world),
    versions: resourcesOf(world, "galleries/images/versions").length,
    machines: listed<Machine>(world, Machine).map((one) => annotationsOf(one)),
    clonesOfImage: listed<AzureMachine>(world, AzureMachine).filter(({ spec }) => spec.image?.id === image)
      .length,
    nodes: nodesIn(world).map((node) => ({
      ...annotationsOf(node),
      isCordoned: node.spec?.unschedulable === true,
    })),
    patches: vmsIn(world).map((name) => diskOfMachine(world, name).read(PATCH)),
  };
}

function recordIn(world: World, image: string | undefined): object {
  const record = templateStored(world)?.status?.nodePrototyping;
  return {
    phase: record?.phase,
    history: record?.history?.map(({ state }) => state),
    isNamed: image !== undefined && image === record?.bootImage?.id,
  };
}

function annotationsOf({ metadata }: { readonly metadata: { readonly annotations?: object } }): object {
  return { annotations: Object.keys(metadata.annotations ?? {}).sort() };
}
