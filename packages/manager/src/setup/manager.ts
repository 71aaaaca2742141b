import { MetricRegistry, Runner } from "@capstan/runtime";
import type { AzureUpdater } from "../in-place/azure/azure-updater.ts";
import {
  type ControllersOptions,
  createControllers,
  type CreatedControllers,
  MANAGER_NAME,
} from "./create-controllers.ts";

/** The environment of a manager, and its namespaces in the management cluster. */
export interface ManagerOptions extends Omit<ControllersOptions, "assertMayWrite" | "metrics"> {
  readonly namespace?: string;
  readonly watchFilter?: string;
  /** The Lease to hold while writing; without it this process must be the only one. */
  readonly lease?: { readonly name: string; readonly namespace: string };
}

/** The controllers of the product in one process. */
export class Manager {
  readonly runner: Runner;
  readonly #controllers: CreatedControllers;

  constructor(options: ManagerOptions) {
    const { env, log, kube, namespace, watchFilter, lease } = options;
    const metrics = new MetricRegistry();
    this.#controllers = createControllers({
      ...options,
      metrics,
      assertMayWrite: () => this.runner.assertMayWrite(),
    });
    this.runner = new Runner({
      env,
      log,
      transport: kube,
      metrics,
      name: MANAGER_NAME,
      reconcilers: this.#controllers.reconcilers,
      ...(namespace !== undefined && { namespace }),
      ...(watchFilter !== undefined && { watchFilter }),
      ...(lease && { lease }),
    });
  }

  /** The updater for Azure, with the credentials and the budget of this process. */
  get azureUpdater(): AzureUpdater {
    return this.#controllers.azureUpdater;
  }

  /** Starts the controllers; resolves when they run, which for a standby is when it takes over. */
  start(): Promise<void> {
    return this.runner.start();
  }

  /** Resolves after `stop`; rejects when the Lease was lost, after which the process must end. */
  held(): Promise<void> {
    return this.runner.held();
  }

  /** Stops everything in order; the Lease is released last. */
  async stop(): Promise<void> {
    await this.runner.stop();
    this.#controllers.close();
  }
}
