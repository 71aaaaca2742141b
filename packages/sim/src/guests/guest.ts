import { Node, Secret } from "@capstan/api";
import type { Core, Machine } from "@capstan/azure-sim";
import { createRng, type Env, type Rng, type Timer } from "@capstan/env";
import { type Client, Failure, type Informer } from "@capstan/runtime";
import { readCustomData } from "./cloud-init.ts";
import type { JoinRequest } from "./join-request.ts";
import { isReady } from "../readiness.ts";
import { decideJoin, tokenSecretName } from "./join.ts";
import { registerNode, reportHealth } from "./kubelet.ts";
import {
  bootIdentity,
  type GuestDisk,
  hasKubeadm,
  joinedNode,
  joinLeftovers,
  kubernetesVersion,
  readImages,
  writeBoot,
  writeFailure,
  writeFiles,
  writeJoin,
} from "./os-disk.ts";
import {
  drawTotalMs,
  type GuestAction,
  type GuestEvent,
  type GuestState,
  NEW_GUEST,
  nextStep,
  resumed,
} from "./stages.ts";

/** How guests are. */
export interface GuestSettings {
  /** Seconds from power on to a Ready Node. */
  readonly boot: { readonly p50: number; readonly p90: number };
  /** How long a silent kubelet is still believed to be well. */
  readonly gracePeriodMs: number;
}

/** What all guests of a cluster share. */
export interface GuestWorld {
  readonly env: Env;
  readonly core: Core;
  readonly client: Client;
  readonly nodes: Informer<Node>;
  readonly settings: GuestSettings;
  readonly signal: AbortSignal;
  /** Is told as soon as the guest knows the name of its Node. */
  readonly named: (guest: Guest) => void;
  /** Is told when the machine is gone. */
  readonly forgotten: (guest: Guest) => void;
}

// The interval at which kubeadm and the kubelet ask an API server again that did not answer.
const RETRY_MS = 5000;

/** The software on one virtual machine: does what its stages say, one thing after the other. */
export class Guest {
  readonly scaleSetId: string;
  readonly instanceId: string;
  readonly #world: GuestWorld;
  #state = NEW_GUEST;
  #nodeName: string | undefined;
  #request: JoinRequest | undefined;
  /** Changes whenever Azure does something to the machine: what was begun before that ends without effect. */
  #life = 0;
  #wait: Timer | undefined;
  #silence: Timer | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(world: GuestWorld, scaleSetId: string, instanceId: string) {
    this.#world = world;
    this.scaleSetId = scaleSetId;
    this.instanceId = instanceId;
  }

  get state(): GuestState {
    return this.#state;
  }

  get nodeName(): string | undefined {
    return this.#nodeName;
  }

  /** The virtual machine, as long as there is one. */
  get machine(): Machine | undefined {
    return this.#world.core.machine(this.scaleSetId, this.instanceId);
  }

  /** Azure has done something to the machine. */
  happened(kind: "booted" | "reimaged" | "started" | "stopped" | "deleted"): void {
    this.#life++;
    if (kind === "stopped" || kind === "deleted") this.#dispatch({ kind });
    else this.#dispatch({ kind, totalMs: drawTotalMs(this.#world.settings.boot, this.#rng("boot")) });
  }

  /** The Node of this guest's name is gone, or not Ready any more. */
  nodeChanged(): void {
    this.#dispatch({ kind: "nodeChanged" });
  }

  /** Goes on with a machine that was there before: what its disk says is what has happened. */
  resume(isRunning: boolean): void {
    this.#nodeName = this.#disk && joinedNode(this.#disk);
    const isJoined = this.#nodeName !== undefined;
    if (isRunning && !isJoined) {
      this.happened("booted");
      return;
    }
    this.#state = resumed({ isRunning, isJoined }, this.#world.env.clock.now());
    if (!isJoined) return;
    this.#world.named(this);
    if (!isRunning) this.#fallSilent();
  }

  /** Stops everything that is under way. */
  close(): void {
    this.#life++;
    this.#wait?.cancel();
    this.#silence?.cancel();
  }

  get #disk(): GuestDisk | undefined {
    return this.#world.core.disk(this.scaleSetId, this.instanceId);
  }

  /** Numbers that depend on the machine, the moment and the purpose, and on nothing else that happens. */
  #rng(purpose: string): Rng {
    const { core, env } = this.#world;
    return createRng(core.world.seed, `guest/${this.machine?.vmId ?? ""}/${purpose}/${env.clock.now()}`);
  }

  #dispatch(event: GuestEvent): void {
    const step = nextStep(this.#state, event, this.#world.env.clock.now());
    if (!step) return;
    this.#wait?.cancel();
    this.#state = step.state;
    if ((event.kind === "failed" || event.kind === "refused") && this.#disk) {
      writeFailure(this.#disk, event.failure);
    }
    for (const action of step.actions) this.#do(action);
  }

  #do(action: GuestAction): void {
    const actions: Readonly<Record<Exclude<GuestAction["do"], "wait">, () => void>> = {
      boot: () => this.#disk && writeBoot(this.#disk, this.#rng("disk")),
      provision: () => this.#provision(),
      join: () => this.#whileAlive(() => this.#join()),
      register: () => this.#register(),
      reportReady: () => this.#whileAlive(() => this.#report("ready")),
      fallSilent: () => this.#fallSilent(),
      forget: () => this.#world.forgotten(this),
    };
    if (action.do !== "wait") actions[action.do]();
    else this.#wait = this.#world.env.clock.timer(action.forMs, () => this.#dispatch({ kind: "elapsed" }));
  }

  #provision(): void {
    const { machine } = this;
    const disk = this.#disk;
    if (!machine || !disk) return;
    const hostname = machine.computerName.toLowerCase();
    const metadata = { hostname, instanceId: machine.vmId, region: machine.location };
    const reading = readCustomData(machine.customData, metadata);
    if ("failure" in reading) {
      this.#dispatch({ kind: "failed", failure: reading.failure });
      return;
    }
    const { files, join } = reading.cloudInit;
    writeFiles(disk, files);
    this.#request = join;
    this.#nodeName = join.nodeName ?? hostname;
    this.#world.named(this);
    this.#dispatch({ kind: "understood" });
  }

  async #join(): Promise<void> {
    const { client, env, nodes } = this.#world;
    const request = this.#request;
    const nodeName = this.#nodeName;
    if (this.#state.stage !== "joining" || !request || nodeName === undefined) return;
    const life = this.#life;
    const secret = await client.find(Secret, { namespace: "kube-system", name: tokenSecretName(request) });
    const node = await client.find(Node, { name: nodeName });
    const disk = this.#disk;
    if (life !== this.#life || !disk) return;
    const machine = { hasKubeadm: hasKubeadm(disk), leftovers: joinLeftovers(disk) };
    const verdict = decideJoin({ request, nodeName, ...machine, secret, node, nowMs: env.clock.now() });
    if (verdict.verdict === "joined") {
      writeJoin(disk, request, { nodeName, rng: this.#rng("join") });
      this.#dispatch({ kind: "joined" });
      return;
    }
    this.#dispatch({ kind: verdict.verdict, failure: verdict.failure });
    // The Node may have changed between the answer and now; then nobody would tell of it again.
    if (verdict.verdict === "refused" && !isReady(nodes.store.get(nodeName))) {
      this.#wait = env.clock.timer(RETRY_MS, () => this.nodeChanged());
    }
  }

  /** From here on the kubelet speaks again, whatever was thought of it before. */
  #register(): void {
    this.#silence?.cancel();
    this.#silence = undefined;
    this.#whileAlive(async () => {
      const { machine } = this;
      const disk = this.#disk;
      if (!machine || !disk || this.#nodeName === undefined) return;
      const { client, core, env } = this.#world;
      await registerNode(client, {
        nodeName: this.#nodeName,
        machine,
        size: core.world.settings.sizes.find(({ name }) => name === machine.size),
        boot: bootIdentity(disk),
        version: kubernetesVersion(disk),
        images: readImages(disk),
        labels: this.#request?.labels ?? {},
        taints: this.#request?.taints ?? [],
        nowMs: env.clock.now(),
      });
    });
  }

  async #report(health: "ready" | "silent"): Promise<void> {
    const { client, env } = this.#world;
    if (this.#nodeName === undefined) return;
    await reportHealth(client, this.#nodeName, { health, nowMs: env.clock.now() });
  }

  /** Nobody hears of a machine that goes; its Node is believed to be well until the grace period is over. */
  #fallSilent(): void {
    if (this.#silence) return;
    const { env, settings } = this.#world;
    const silence = env.clock.timer(settings.gracePeriodMs, () => {
      this.#enqueue(
        () => this.#silence === silence,
        () => this.#report("silent"),
      );
    });
    this.#silence = silence;
  }

  #whileAlive(run: () => Promise<void>): void {
    const life = this.#life;
    this.#enqueue(() => this.#life === life, run);
  }

  /** Does things in order, each again and again until the API server takes it or it has lost its meaning. */
  #enqueue(isCurrent: () => boolean, run: () => Promise<void>): void {
    this.#work = this.#work.then(() => this.#persist(isCurrent, run));
  }

  async #persist(isCurrent: () => boolean, run: () => Promise<void>): Promise<void> {
    const { env, signal } = this.#world;
    while (isCurrent() && !signal.aborted) {
      try {
        await run();
        return;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
      }
      await env.clock.sleep(RETRY_MS, signal).catch(() => undefined);
    }
  }
}
