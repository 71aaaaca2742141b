import { type Frozen, Node } from "@capstan/api";
import type { CommandResult, Core, ImageFiles, Machine, MachineDisk } from "@capstan/azure-sim";
import { createRng, type Env, type Rng, type Timer } from "@capstan/env";
import { Failure, transient } from "@capstan/runtime";
import type { ControlPlaneSeat } from "./control-plane-seat.ts";
import type { GuestFailure } from "./failure.ts";
import type { GuestCluster } from "./guest-clusters.ts";
import { hasEtcdData, hasLocalEtcd } from "../etcd/etcd-cluster.ts";
import { isReady } from "../readiness.ts";
import { inspectNode } from "./inspect-node.ts";
import { GuestWork, RETRY_MS } from "./guest-work.ts";
import { isCopyOfAnother, isHelper, scrub } from "./identity.ts";
import type { JoinVerdict } from "./join.ts";
import type { Join } from "./join-kind.ts";
import { provisioningOf } from "./join-kinds.ts";
import { registerNode, reportReady } from "./kubelet.ts";
import {
  bootIdentity,
  forgetBoots,
  hasBootedFor,
  hasImages,
  kubeletOn,
  kernelOn,
  kubernetesVersion,
  readEnd,
  readImages,
  staticPodVersion,
  writeBoot,
  writeBootedFor,
  writeEnd,
  writeFailure,
  writeFiles,
  writeImages,
  type KubeletIdentity,
} from "./os-disk.ts";
import { RESTART_KUBELET } from "./kubeadm-upgrade.ts";
import { runScript } from "./run-command.ts";
import { mirrorStaticPods } from "./static-pods.ts";
import { SecurityUpdates, type UpdateSettings } from "./security-updates.ts";
import {
  drawTotalMs,
  type GuestAction,
  type GuestEvent,
  type GuestState,
  NEW_GUEST,
  nextStep,
  resumed,
} from "./stages.ts";

/** The settings of guests. */
export interface GuestSettings {
  /** Seconds from power on to a Ready Node. */
  readonly boot: { readonly p50: number; readonly p90: number };
  /** How long a Node stays Ready after its kubelet has stopped. */
  readonly gracePeriodMs: number;
  /** How many times faster than on a real machine kubeadm works. */
  readonly kubeadmSpeed: number;
  /** Security updates that are published over time; none unless given. */
  readonly updates?: UpdateSettings;
}

/** How a scrub on a helper fails: it never powers the machine off, or it does and has removed nothing. */
export type ScrubFault = "hangs" | "lies";

/** What all guests share. */
export interface GuestWorld {
  readonly env: Env;
  readonly core: Core;
  readonly settings: GuestSettings;
  readonly signal: AbortSignal;
  /** The cluster at an endpoint; undefined while no API server answers there. */
  readonly clusterAt: (endpoint: string) => GuestCluster | undefined;
  /** The control plane that a guest belongs to, at the endpoint of the guest. */
  readonly seatOf: (guest: Guest) => ControlPlaneSeat;
  /** Runs when the stage of a guest of a control plane has changed. */
  readonly seatChanged: (guest: Guest) => void;
  /** Resolves when all writes to disks survive a crash. */
  readonly disksKept: () => Promise<void>;
  /** What is wrong with the scrub on helpers now. */
  readonly scrubFault: () => ScrubFault | undefined;
  /** Whether a fault keeps this guest from becoming a node; called once for each guest. */
  readonly takeSpoiled: () => boolean;
  /** Runs as soon as the guest knows the name of its Node. */
  readonly named: (guest: Guest) => void;
  /** Runs when the guest fails to become a node, or has to wait. */
  readonly failed: (guest: Guest) => void;
  /** Runs when the machine is deleted. */
  readonly forgotten: (guest: Guest) => void;
}

const SPOILED = {
  failure: { reason: "Spoiled", message: "cloud-init ended without a word: a simulated fault" },
};

/** What a disk says about earlier boots. */
interface FoundOnDisk {
  readonly kubelet?: KubeletIdentity | undefined;
  readonly failure?: GuestFailure | undefined;
  /** Whether the guest has booted since its machine was last powered on. */
  readonly hasBooted?: boolean;
}

/** The software on one virtual machine: carries out the actions of its stages in order. */
export class Guest {
  readonly machineId: string;
  readonly #world: GuestWorld;
  #state = NEW_GUEST;
  #endpoint = "";
  #nodeName: string | undefined;
  #join: Join | undefined;
  /** Incremented whenever Azure changes the machine: older work then ends without effect. */
  #life = 0;
  #wait: Timer | undefined;
  readonly #work: GuestWork;

  constructor(world: GuestWorld, machineId: string) {
    this.#world = world;
    this.#work = new GuestWork(world);
    this.machineId = machineId;
  }

  get state(): GuestState {
    return this.#state;
  }

  /** The endpoint of its API server; empty until cloud-init has read it. */
  get endpoint(): string {
    return this.#endpoint;
  }

  get nodeName(): string | undefined {
    return this.#nodeName;
  }

  /** Whether it is, or becomes, a machine of a control plane. */
  get isControlPlane(): boolean {
    const disk = this.#disk;
    return this.#join?.request.isControlPlane === true || (disk !== undefined && hasEtcdData(disk));
  }

  /** Whether its kubelet runs and could write a heartbeat. */
  get isSpeaking(): boolean {
    return this.#state.stage === "registered" || this.#state.stage === "ready";
  }

  /** The virtual machine; undefined after its deletion. */
  get machine(): Machine | undefined {
    return this.#world.core.machine(this.machineId);
  }

  /** Handles a change that Azure made to the machine. */
  happened(kind: "booted" | "reimaged" | "started" | "stopped" | "deleted"): void {
    this.#life++;
    if (kind === "stopped" && this.#disk && this.isSpeaking) this.#updates.installedSoFar(this.#disk);
    if (kind === "stopped" || kind === "deleted") this.#dispatch({ kind });
    else this.#dispatch({ kind, totalMs: drawTotalMs(this.#world.settings.boot, this.#rng("boot")) });
  }

  /** Handles a change or the deletion of the Node with this guest's name. */
  nodeChanged(node: Frozen<Node> | undefined): void {
    if (!isReady(node)) this.#dispatch({ kind: "nodeChanged" });
    if (node?.status && this.isSpeaking) this.#keepImages(node.status);
  }

  /** Resumes a machine that existed before this process: its disk tells what has happened. */
  resume(isOn: boolean): void {
    const { kubelet, failure, hasBooted = true } = this.#found();
    if (isOn && !kubelet && !failure) return this.happened("booted");
    const isRunning = isOn && hasBooted;
    this.#state = resumed(
      { isRunning, isJoined: kubelet !== undefined, failure },
      this.#world.env.clock.now(),
    );
    if (kubelet) this.#name(kubelet);
    // The process before this one died after the machine was powered on, and before its guest had booted.
    if (isOn && !hasBooted) this.happened("started");
    else if (isRunning) this.#whileAlive(() => this.#speakAgain());
    else this.#lookAtNode();
  }

  /** What the disk says about earlier boots. A copy of another machine's disk says nothing about this machine. */
  #found(): FoundOnDisk {
    const disk = this.#disk;
    const { machine } = this;
    if (!disk || !machine || isCopyOfAnother(disk, machine.vmId)) return {};
    return { kubelet: kubeletOn(disk), failure: readEnd(disk), hasBooted: hasBootedFor(disk, machine) };
  }

  /** Cancels all work. */
  close(): void {
    this.#life++;
    this.#wait?.cancel();
  }

  get #disk(): MachineDisk | undefined {
    return this.#world.core.disk(this.machineId);
  }

  /** Random numbers that depend only on the machine, the time and the purpose. */
  #rng(purpose: string): Rng {
    const { core, env } = this.#world;
    return createRng(core.world.seed, `guest/${this.machine?.vmId ?? ""}/${purpose}/${env.clock.now()}`);
  }

  #dispatch(event: GuestEvent): void {
    const step = nextStep(this.#state, event, this.#world.env.clock.now());
    if (!step) return;
    this.#wait?.cancel();
    this.#state = step.state;
    if (this.isControlPlane) this.#world.seatChanged(this);
    if (event.kind === "failed" || event.kind === "refused") this.#fail(event.failure, event.kind);
    for (const action of step.actions) this.#do(action);
  }

  #do(action: GuestAction): void {
    switch (action.do) {
      case "wait":
        this.#wait = this.#world.env.clock.timer(action.forMs, () => this.#dispatch(this.#elapsed()));
        return;
      case "boot":
        return this.#boot();
      case "scrub":
        return this.#scrub();
      case "provision":
        return this.#provision();
      case "join":
        return this.#whileAlive(() => this.#tryToJoin());
      case "register":
        return this.#register();
      case "reportReady":
        return this.#whileAlive(() => this.#reportReady());
      case "fallSilent":
        return this.#lookAtNode();
      case "forget":
        return this.#world.forgotten(this);
    }
  }

  /** What the machine finds on its disk when a wait is over: while it boots, that decides what comes next. */
  #elapsed(): GuestEvent {
    const { machine } = this;
    const disk = this.#disk;
    if (this.#state.stage !== "booting" || !machine || !disk) return { kind: "elapsed" };
    const isCopy = isCopyOfAnother(disk, machine.vmId);
    return { kind: "elapsed", isCopy, isHelper: isHelper(machine), updatesMs: this.#updates.pendingMs(disk) };
  }

  #boot(): void {
    const { machine } = this;
    const disk = this.#disk;
    if (!disk || !machine) return;
    this.#updates.install(disk);
    writeBoot(disk, this.#rng("disk"));
    writeBootedFor(disk, machine);
  }

  #scrub(): void {
    const { machine } = this;
    const disk = this.#disk;
    if (!disk || !machine) return;
    const fault = isHelper(machine) ? this.#world.scrubFault() : undefined;
    if (fault === "hangs") return;
    if (fault !== "lies") scrub(disk, machine);
    forgetBoots(disk, isHelper(machine));
    if (isHelper(machine)) this.#world.core.powerOffFromInside(this.machineId);
  }

  get #updates(): SecurityUpdates {
    return new SecurityUpdates(this.#world.settings.updates, this.#world.env.clock.now());
  }

  /** The files of the image that its disk was made from. */
  get #imageFiles(): ImageFiles {
    const { images, machines } = this.#world.core.world;
    return images.byName(machines.record(this.machineId)?.image ?? "")?.files ?? {};
  }

  /** Runs a script as root, as far as guests understand scripts. */
  run(script: string): CommandResult {
    const { machine } = this;
    const disk = this.#disk;
    // A machine that could not join runs all the same.
    const isUp = this.isSpeaking || ["restarting", "failed"].includes(this.#state.stage);
    if (!machine || !disk || !isUp)
      return { exitCode: 1, output: "", error: "The operating system has not started" };
    const inspection = inspectNode(script, disk, this.#imageFiles);
    if (inspection) return inspection;
    this.#updates.installedSoFar(disk);
    const result = runScript(script, { disk, vmId: machine.vmId });
    if (result.exitCode === 0 && RESTART_KUBELET.test(script))
      this.#dispatch({ kind: this.isControlPlane ? "podsRestarted" : "kubeletRestarted" });
    return result;
  }

  /** Stores pulled images on the disk. Hardly any change of a Node is about images, so the boot id is compared last. */
  #keepImages({ images, nodeInfo }: NonNullable<Frozen<Node>["status"]>): void {
    const disk = this.#disk;
    if (!images || !disk || hasImages(disk, images)) return;
    // A Node of an earlier boot describes another disk.
    if (nodeInfo?.bootID === bootIdentity(disk).bootId) writeImages(disk, images);
  }

  #fail(failure: GuestFailure, kind: "failed" | "refused"): void {
    const disk = this.#disk;
    if (disk) writeFailure(disk, failure);
    if (disk && kind === "failed") writeEnd(disk, failure);
    this.#world.failed(this);
  }

  #provision(): void {
    const { machine } = this;
    const disk = this.#disk;
    if (!machine || !disk) return;
    const provisioning = this.#world.takeSpoiled() ? SPOILED : provisioningOf(machine);
    if ("failure" in provisioning) {
      this.#dispatch({ kind: "failed", failure: provisioning.failure });
      return;
    }
    const { files, join } = provisioning;
    const { endpoint, nodeName = machine.computerName.toLowerCase() } = join.request;
    writeFiles(disk, files);
    this.#join = join;
    this.#name({ endpoint, nodeName });
    this.#dispatch({ kind: "understood" });
  }

  #kubeadmMs(forMs: number): number {
    return forMs / this.#world.settings.kubeadmSpeed;
  }

  #name({ endpoint, nodeName }: { readonly endpoint: string; readonly nodeName: string }): void {
    // Host names are case-insensitive.
    this.#endpoint = endpoint.toLowerCase();
    this.#nodeName = nodeName;
    this.#world.named(this);
  }

  /** The cluster to join. Throws a transient Failure while it does not exist: the caller retries. */
  get #cluster(): GuestCluster {
    const cluster = this.#world.clusterAt(this.#endpoint);
    if (!cluster) throw transient("ApiServerUnreachable", "no cluster has this endpoint");
    return cluster;
  }

  async #tryToJoin(): Promise<void> {
    const join = this.#join;
    const nodeName = this.#nodeName;
    if (this.#state.stage !== "joining" || !join || nodeName === undefined) return;
    const life = this.#life;
    try {
      const verdict = await join.attempt({
        cluster: () => this.#cluster,
        seat: () => this.#world.seatOf(this),
        nodeName,
        disk: () => this.#disk,
        nowMs: () => this.#world.env.clock.now(),
      });
      if (life === this.#life) this.#obey(verdict, { join, nodeName });
    } catch (error) {
      if (error instanceof Failure && life === this.#life) this.#waitFor(join.unreachable(error.message));
      throw error;
    }
  }

  #obey(verdict: JoinVerdict, { join, nodeName }: { join: Join; nodeName: string }): void {
    const disk = this.#disk;
    if (!disk) return;
    if (verdict.verdict === "joined") {
      join.write(disk, { nodeName, rng: this.#rng("join") });
      this.#dispatch({ kind: "joined" });
      return;
    }
    if (verdict.verdict === "inProgress") {
      this.#wait = this.#world.env.clock.timer(this.#kubeadmMs(verdict.forMs), () =>
        this.#dispatch({ kind: "elapsed" }),
      );
      return;
    }
    this.#dispatch({ kind: verdict.verdict, failure: verdict.failure });
    const node = this.#world.clusterAt(this.#endpoint)?.nodes.store.get(nodeName);
    // The Node may have changed since the answer was sent; no event would arrive for that change.
    if (verdict.verdict === "refused" && !isReady(node)) {
      this.#wait = this.#world.env.clock.timer(RETRY_MS, () => this.nodeChanged(node));
    }
  }

  /** Reports why it waits once, not on every retry. */
  #waitFor(failure: GuestFailure): void {
    if (this.#state.failure?.message !== failure.message) this.#dispatch({ kind: "refused", failure });
  }

  /** From here on the kubelet runs again; the control plane must stop counting its silence. */
  #register(): void {
    this.#lookAtNode();
    this.#whileAlive(() => this.#registerNode());
  }

  async #registerNode(): Promise<void> {
    const { machine } = this;
    const disk = this.#disk;
    const kubelet = disk && kubeletOn(disk);
    if (!machine || !kubelet) return;
    const { core, env, disksKept } = this.#world;
    // A boot or join that the cluster sees must survive a crash.
    await disksKept();
    await registerNode(this.#cluster.client, {
      nodeName: kubelet.nodeName,
      machine,
      size: core.world.settings.sizes.find(({ name }) => name === machine.size),
      boot: bootIdentity(disk),
      version: kubernetesVersion(disk),
      kernel: kernelOn(disk),
      images: readImages(disk),
      labels: kubelet.labels,
      taints: kubelet.taints,
      nowMs: env.clock.now(),
    });
    if (!this.isControlPlane) return;
    const [address = ""] = machine.privateAddresses;
    const { nodeName } = kubelet;
    const facts = { version: staticPodVersion(disk), hasEtcd: hasLocalEtcd(disk) };
    await mirrorStaticPods(this.#cluster.client, { nodeName, address, ...facts });
  }

  async #reportReady(): Promise<void> {
    if (this.#nodeName !== undefined)
      await reportReady(this.#cluster.client, this.#nodeName, this.#world.env.clock.now());
  }

  /**
   * A process that crashed between join and report leaves a Node that is not Ready, or none; one that ended while the kubelet
   * of a new version restarted leaves a Node of the version before.
   */
  async #speakAgain(): Promise<void> {
    const disk = this.#disk;
    if (this.#nodeName === undefined || !disk) return;
    const node = await this.#cluster.client.find(Node, { name: this.#nodeName });
    const { bootID, kubeletVersion } = node?.status?.nodeInfo ?? {};
    const isCurrent = bootID === bootIdentity(disk).bootId && kubeletVersion === kubernetesVersion(disk);
    if (isReady(node) && isCurrent) return;
    if (!isCurrent) await this.#registerNode();
    await this.#reportReady();
  }

  /** Enqueues the Node for the control plane: a stopped kubelet starts its grace period, a started one ends it. */
  #lookAtNode(): void {
    if (this.#nodeName !== undefined) this.#world.clusterAt(this.#endpoint)?.look(this.#nodeName);
  }

  #whileAlive(run: () => Promise<void>): void {
    const life = this.#life;
    this.#work.enqueue(() => this.#life === life, run);
  }
}
