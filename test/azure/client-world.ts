import {
  AzureClusterIdentity,
  type Frozen,
  type JsonObject,
  type Operation,
  type Secret,
} from "@capstan/api";
import {
  type Azure as SimulatedAzure,
  type AzureSettings,
  createAzure,
  DEFAULT_PRINCIPAL,
  DEFAULT_SUBSCRIPTION,
} from "@capstan/azure-sim";
import { AdjustableClock, type Link, Scheduler, VirtualProcess } from "@capstan/env";
import {
  advance,
  type Arm,
  Azure,
  cloudNamed,
  instanceEvidence,
  type Progress,
  ScaleSetInstances,
  type Task,
  type TokenSource,
  type DesiredOperation,
} from "@capstan/azure";
import { Sensitive } from "@capstan/runtime";

export const LOCATION = "westus";
export const GROUP = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/rg-client`;
export const NETWORK = `${GROUP}/providers/Microsoft.Network/virtualNetworks/net`;
export const SUBNET = `${NETWORK}/subnets/nodes`;

/** The id of a scale set. */
export function scaleSetID(name: string): string {
  return `${GROUP}/providers/Microsoft.Compute/virtualMachineScaleSets/${name}`;
}

/** The identity that the simulated Entra knows. */
export function identity(spec: Partial<AzureClusterIdentity["spec"]> = {}): AzureClusterIdentity {
  return {
    apiVersion: AzureClusterIdentity.apiVersion,
    kind: AzureClusterIdentity.kind,
    metadata: { name: "robot", namespace: "default", uid: "uid" },
    spec: {
      type: "ServicePrincipal",
      tenantID: DEFAULT_PRINCIPAL.tenantId,
      clientID: DEFAULT_PRINCIPAL.clientId,
      clientSecret: { name: "robot" },
      allowedNamespaces: {},
      ...spec,
    },
  };
}

/** The model of a scale set, as its body has it. */
export function model(
  capacity: number,
  change: { readonly version?: string; readonly subnet?: string } = {},
): JsonObject {
  const { version = "22.04.202510010", subnet = SUBNET } = change;
  return {
    location: LOCATION,
    sku: { name: "Standard_D2s_v3", capacity },
    properties: {
      upgradePolicy: { mode: "Manual" },
      overprovision: false,
      virtualMachineProfile: {
        osProfile: { computerNamePrefix: "pool", adminUsername: "capi" },
        storageProfile: {
          imageReference: {
            publisher: "Canonical",
            offer: "0001-com-ubuntu-server-jammy",
            sku: "22_04-lts-gen2",
            version,
          },
        },
        networkProfile: {
          networkInterfaceConfigurations: [
            {
              name: "nic-0",
              properties: {
                primary: true,
                ipConfigurations: [{ name: "ip-0", properties: { subnet: { id: subnet } } }],
              },
            },
          ],
        },
      },
    },
  };
}

/** Our client in a process of its own, and the simulated Azure, in one virtual time. */
export class ClientWorld {
  readonly scheduler = new Scheduler({ seed: "client" });
  readonly sim: SimulatedAzure;
  readonly #link: Link;
  process = new VirtualProcess(this.scheduler, "manager 0");
  secret: Secret = secretOf(DEFAULT_PRINCIPAL.clientSecret ?? "");
  azure: Azure;
  #starts = 0;

  constructor(options: { readonly settings?: Partial<AzureSettings>; readonly link?: Link } = {}) {
    const env = new VirtualProcess(this.scheduler, "azure");
    this.sim = createAzure({
      env,
      clock: new AdjustableClock(env.clock),
      seed: "client",
      ...(options.settings && { settings: options.settings }),
    });
    this.#link = options.link ?? {};
    this.azure = this.#connect();
  }

  /** Starts a new process without any state of the last one. */
  restart(): void {
    this.process = new VirtualProcess(this.scheduler, `manager ${++this.#starts}`);
    this.azure = this.#connect();
  }

  /** The resource manager, with tokens that do not go through Entra. */
  arm(tokens: TokenSource = this.tokens()): Arm {
    return this.azure.armWith(tokens, "test");
  }

  tokens(): TokenSource {
    return {
      principal: DEFAULT_PRINCIPAL.clientId,
      token: () => Promise.resolve(new Sensitive(this.sim.issueToken().token)),
      forget: () => undefined,
    };
  }

  /** Advances time until the promise is settled. The identity library also waits for real I/O. */
  async run<T>(promise: Promise<T>): Promise<T> {
    const progress = { isSettled: false };
    const settle = (): void => {
      progress.isSettled = true;
    };
    promise.then(settle, settle);
    while (!progress.isSettled) await this.scheduler.run({ until: () => progress.isSettled });
    return promise;
  }

  /** The error that a promise is rejected with. */
  async failure(promise: Promise<unknown>): Promise<unknown> {
    return this.run(
      promise.then(
        (value) => {
          throw new Error(`it was expected to fail and gave ${JSON.stringify(value)}`);
        },
        (error: unknown) => error,
      ),
    );
  }

  /** Runs an operation to its end, pass by pass. */
  async perform(desired: DesiredOperation, arm = this.arm()): Promise<Progress & { readonly isDone: true }> {
    return this.run(this.follow(arm, desired));
  }

  /** The same inside of virtual time. */
  async follow(arm: Arm, desired: DesiredOperation): Promise<Progress & { readonly isDone: true }> {
    let record: Frozen<Operation> | undefined;
    const persist: Task["persist"] = async (next) => {
      record = next;
    };
    const { clock } = this.process;
    const list = new ScaleSetInstances(arm, clock);
    const evidence = instanceEvidence((id) => list.list(id, { maxAgeMs: 0, priority: "normal" }));
    for (;;) {
      const task = { record, desired, persist, evidence, location: LOCATION };
      const progress = await advance({ arm, clock }, task);
      if (progress.isDone) return progress;
      await clock.sleep(progress.retryAfterMs);
    }
  }

  /** A group with a network. */
  async prepare(): Promise<void> {
    const arm = this.arm();
    await this.run(arm.put(GROUP, { location: LOCATION }));
    const properties = {
      addressSpace: { addressPrefixes: ["10.0.0.0/8"] },
      subnets: [{ name: "nodes", properties: { addressPrefix: "10.1.0.0/16" } }],
    };
    await this.perform({ verb: "PUT", resourceID: NETWORK, body: { location: LOCATION, properties } });
  }

  /** Waits until every bucket is full again. */
  async rest(): Promise<void> {
    await this.scheduler.advance(3_600_000);
  }

  #connect(): Azure {
    const { process } = this;
    const transport = process.connect(this.sim.handle, this.#link);
    return new Azure({
      env: process,
      cloud: cloudNamed(),
      connect: () => transport,
      readSecret: () => Promise.resolve(this.secret),
      readFile: () => Promise.reject(new Error("there are no files")),
      namespaceLabels: () => Promise.resolve({}),
    });
  }
}

/** The Secret of an identity. */
export function secretOf(value: string): Secret {
  const data = { clientSecret: Buffer.from(value).toString("base64") };
  return { apiVersion: "v1", kind: "Secret", metadata: { name: "robot", namespace: "default" }, data };
}
