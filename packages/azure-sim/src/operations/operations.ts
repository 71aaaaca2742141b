import type { Agenda } from "../core/agenda.ts";
import { Table } from "../core/table.ts";
import type { ErrorBody } from "../arm/errors.ts";
import type { Operation } from "./operation.ts";
import { OperationUrls } from "./url.ts";

// Azure keeps operations for about a day; then a poll returns 404.
const KEPT_MS = 24 * 3600 * 1000;

/** The effect that ends an operation. */
export const END_OPERATION = "operation.end";

/** The effect that removes an ended operation. */
export const FORGET_OPERATION = "operation.forget";

/** All long-running operations. */
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

  /** Starts an operation that ends at a known time; the caller has added its effects to the agenda before. */
  start(operation: Operation, endMs: number): void {
    this.table.set(operation.id, { ...operation, dueMs: endMs });
    this.#agenda.enter(endMs, END_OPERATION, { id: operation.id });
  }

  /** Ends an operation at its planned time; a preempted one stays preempted. */
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

  /** Ends an operation because a newer one replaces it. */
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
