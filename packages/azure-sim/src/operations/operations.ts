import type { Agenda } from "../core/agenda.ts";
import { Table } from "../core/table.ts";
import type { ErrorBody } from "../arm/errors.ts";
import type { Operation } from "./operation.ts";
import { OperationUrls } from "./url.ts";

// Real operations can be asked about for a day or so; then the provider has forgotten them.
const KEPT_MS = 24 * 3600 * 1000;

/** The effect by which an operation ends. */
export const END_OPERATION = "operation.end";

/** The effect by which an operation is forgotten. */
export const FORGET_OPERATION = "operation.forget";

/** All long-running operations: what started, how it ended. */
export class Operations {
  readonly table: Table<Operation>;
  readonly urls: OperationUrls;
  readonly #agenda: Agenda;

  constructor(seed: string, agenda: Agenda, isStored: boolean) {
    this.table = new Table<Operation>("operation", isStored);
    this.urls = new OperationUrls(seed);
    this.#agenda = agenda;
  }

  get(id: string): Operation | undefined {
    return this.table.get(id.toLowerCase());
  }

  /** Starts an operation that ends at a known time; what it does by then is entered into the agenda before. */
  start(operation: Operation, endMs: number): void {
    this.table.set(operation.id, { ...operation, dueMs: endMs });
    this.#agenda.enter(endMs, END_OPERATION, { id: operation.id });
  }

  /** The end that was foreseen; an operation that was preempted before stays so. */
  end(id: string, nowMs: number): void {
    const operation = this.get(id);
    if (operation?.status !== "InProgress") return;
    this.#close({ ...operation, endMs: nowMs, status: operation.error ? "Failed" : "Succeeded" });
  }

  /** Makes a running operation fail when it ends. */
  doom(id: string, error: ErrorBody): void {
    const operation = this.get(id);
    if (operation?.status === "InProgress") this.table.set(operation.id, { ...operation, error });
  }

  /** Ends an operation because a newer one takes its place. */
  preempt(id: string, nowMs: number): void {
    const operation = this.get(id);
    if (operation?.status !== "InProgress") return;
    const error: ErrorBody = {
      code: "OperationPreempted",
      message: "Operation execution has been preempted by a more recent operation.",
    };
    this.#close({ ...operation, endMs: nowMs, status: "Canceled", error });
  }

  forget(id: string): void {
    this.table.delete(id);
  }

  #close(operation: Operation): void {
    this.table.set(operation.id, operation);
    this.#agenda.enter((operation.endMs ?? 0) + KEPT_MS, FORGET_OPERATION, { id: operation.id });
  }
}
