import { deepEqual, type JsonObject } from "@capstan/api";
import { hash } from "node:crypto";
import type { ItemReader } from "../port.ts";
import { parseInstance, type ScaleSetInstance } from "./instance.ts";

/** The instances of a list, and their texts. */
export interface ReadInstances {
  readonly instances: readonly ScaleSetInstance[];
  /** All items, including those that are not instances. */
  readonly items: number;
  readonly byID: ReadonlyMap<string, ScaleSetInstance>;
  /** By the digest of their text, because the texts themselves have kilobytes each. */
  readonly byDigest: ReadonlyMap<string, ScaleSetInstance>;
  /** The lengths of these texts, the most recently used first. */
  readonly lengths: readonly number[];
}

// The texts of a set's instances have a few lengths, which depend on the digits of their ids and on their states.
const MOST_LENGTHS = 16;

/**
 * Reads the instances of one list with those of the previous one. Of a thousand instances only a few change in between;
 * the others are recognized by their text, which takes a tenth of the time of parsing.
 */
export class InstanceReader implements ItemReader {
  readonly #before: ReadInstances | undefined;
  readonly #instances: ScaleSetInstance[] = [];
  readonly #byDigest = new Map<string, ScaleSetInstance>();
  #lengths: readonly number[];
  #items = 0;

  constructor(before: ReadInstances | undefined) {
    this.#before = before;
    this.#lengths = before?.lengths ?? [];
  }

  readonly recognize = (page: string, from: number): number => {
    for (const length of this.#before ? this.#lengths : []) {
      if (!mayEnd(page, from + length)) continue;
      const digest = digestOf(page.slice(from, from + length));
      const known = this.#before?.byDigest.get(digest);
      if (known) return this.#keep(known, digest, length);
    }
    return 0;
  };

  readonly take = (item: JsonObject, text: string): void => {
    const instance = readAgain(item, this.#before?.byID.get(String(item["instanceId"])));
    if (instance) this.#keep(instance, digestOf(text), text.length);
    else this.#items++;
  };

  /** The result. */
  end(): ReadInstances {
    return {
      instances: this.#instances,
      items: this.#items,
      byID: new Map(this.#instances.map((instance) => [instance.instanceID, instance])),
      byDigest: this.#byDigest,
      lengths: this.#lengths,
    };
  }

  #keep(instance: ScaleSetInstance, digest: string, length: number): number {
    this.#items++;
    this.#instances.push(instance);
    this.#byDigest.set(digest, instance);
    if (this.#lengths[0] !== length)
      this.#lengths = [length, ...this.#lengths.filter((one) => one !== length)].slice(0, MOST_LENGTHS);
    return length;
  }
}

/** Whether an item can end here, which rules out most lengths. */
function mayEnd(page: string, end: number): boolean {
  return page[end - 1] === "}" && ",] \t\r\n".includes(page[end] ?? "x");
}

function digestOf(text: string): string {
  return hash("sha256", text, "base64");
}

/** Returns the same object for an unchanged instance, so that values cached by it stay valid. */
function readAgain(item: JsonObject, known: ScaleSetInstance | undefined): ScaleSetInstance | undefined {
  const read = parseInstance(item, known);
  // The message of an error is not among the compared fields.
  return known && known.error === undefined && deepEqual(known, read) ? known : read;
}
