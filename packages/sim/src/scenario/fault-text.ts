/**
 * The text form of faults, in scenarios and after `--faults`: `arm-throttled:20%`, `crash-after-write:2nd PUT
 * virtualMachineScaleSets by azuremachinepool`, `spot-eviction:every 5m 3 times`.
 */
import type { Moments, Trigger } from "../faults/trigger.ts";
import { FAULT_CATALOGUE, FAULT_IDS, type FaultId, STRIKES } from "./fault-catalogue.ts";
import { suggestion } from "./near-names.ts";
import { millisecondsOf } from "./reader.ts";

/** A fault to activate. */
export interface Fault {
  readonly fault: FaultId;
  /** The text as written. */
  readonly text: string;
  /** Which calls or watch events it hits, or at which moments. */
  readonly when: { readonly trigger: Trigger } | { readonly moments: Moments };
}

/** A parsed fault, or what is wrong with its text. */
export type FaultReading = { readonly fault: Fault } | { readonly message: string };

/** Aborts the parsing of a text; caught in this file. */
class FaultTextError extends Error {
  override readonly name = "FaultTextError";
}

/** Parses the text of one fault; `others` are words that its place takes besides faults. */
export function readFault(text: string, others: readonly string[] = []): FaultReading {
  const [written = "", ...rest] = text.split(":");
  const id = FAULT_IDS.find((known) => known === written.trim());
  if (id === undefined) {
    return {
      message: `unknown fault; ${suggestion({ written: written.trim(), known: [...others, ...FAULT_IDS] })}`,
    };
  }
  try {
    return { fault: { fault: id, text, when: whenOf(id, wordsOf(rest.join(":"))) } };
  } catch (error) {
    if (error instanceof FaultTextError) return { message: error.message };
    throw error;
  }
}

/** Spaces separate words; on a command line dashes do too, where no name contains one. */
function wordsOf(text: string): string[] {
  const trimmed = text.trim();
  return (trimmed.includes(" ") ? trimmed.split(/ +/) : trimmed.split("-")).filter((word) => word !== "");
}

function whenOf(id: FaultId, words: readonly string[]): Fault["when"] {
  const { strikes, rate } = FAULT_CATALOGUE[id];
  if (strikes === "moments") {
    const moments = momentsOf(words);
    const isTold = moments.afterMs !== undefined || moments.everyMs !== undefined;
    return { moments: isTold || "share" in rate ? moments : { ...rate, ...moments } };
  }
  const trigger = triggerOf(id, words);
  const isTold = trigger.nth !== undefined || trigger.probability !== undefined;
  return { trigger: isTold || "everyMs" in rate ? trigger : { probability: rate.share, ...trigger } };
}

/** Takes words from the front, one part of the grammar at a time. */
class Words {
  readonly #words: readonly string[];
  #next = 0;

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  get isAtEnd(): boolean {
    return this.#next >= this.#words.length;
  }

  peek(ahead = 0): string {
    return this.#words[this.#next + ahead] ?? "";
  }

  take(): string {
    return this.#words[this.#next++] ?? "";
  }

  /** The word after a keyword, if the keyword is next. */
  after(word: string): string | undefined {
    if (this.peek() !== word) return undefined;
    this.take();
    if (this.isAtEnd) throw new FaultTextError(`nothing follows "${word}"`);
    return this.take();
  }
}

const MOMENTS_FORM = "expected [after DURATION | every DURATION] [N times], such as every 5m 3 times";

function momentsOf(given: readonly string[]): Moments {
  const words = new Words(given);
  const after = words.after("after");
  const every = after === undefined ? words.after("every") : undefined;
  const times = timesOf(words);
  if (!words.isAtEnd) throw new FaultTextError(`"${words.peek()}" is not understood; ${MOMENTS_FORM}`);
  return {
    ...(after !== undefined && { afterMs: durationOf(after) }),
    ...(every !== undefined && { everyMs: durationOf(every) }),
    ...(times !== undefined && { times }),
  };
}

function durationOf(text: string): number {
  const ms = millisecondsOf(text);
  if (ms > 0) return ms;
  throw new FaultTextError(`"${text}" is not a duration above 0; expected one such as 90s, 10m or 1h30m`);
}

const TRIGGER_FORM =
  "expected [Nth | N%] [CALL [RESOURCE]] [by CONTROLLER] [N times], such as 3rd write or 20%";

function triggerOf(id: FaultId, given: readonly string[]): Trigger {
  const words = new Words(given);
  const howOften = howOftenOf(words);
  const call = callOf(id, words);
  const by = words.after("by");
  const times = timesOf(words);
  if (!words.isAtEnd) throw new FaultTextError(`"${words.peek()}" is not understood; ${TRIGGER_FORM}`);
  return { ...howOften, ...call, ...(by !== undefined && { by }), ...(times !== undefined && { times }) };
}

// Six digits are more calls of one kind than any run has, and stay exact.
const ORDINAL = /^([1-9][0-9]{0,5})(st|nd|rd|th)$/;
const PERCENTAGE = /^([0-9]{1,3}(?:\.[0-9]{1,3})?)%$/;
const NUMBER = /^[1-9][0-9]{0,5}$/;

function howOftenOf(words: Words): Pick<Trigger, "nth" | "probability"> {
  const [, nth] = ORDINAL.exec(words.peek()) ?? [];
  if (nth !== undefined) {
    words.take();
    return { nth: Number(nth) };
  }
  if (!words.peek().endsWith("%")) return {};
  const word = words.take();
  const share = Number(PERCENTAGE.exec(word)?.[1]) / 100;
  if (share > 0 && share <= 1) return { probability: share };
  throw new FaultTextError(`"${word}" is not a share; expected one above 0% and up to 100%, such as 20%`);
}

function callOf(id: FaultId, words: Words): Pick<Trigger, "verb" | "resource"> {
  if (!hasName(words)) return {};
  const known: readonly string[] = STRIKES[FAULT_CATALOGUE[id].strikes];
  const word = words.take();
  if (!known.includes(word)) {
    const isWord = /^[a-zA-Z]+$/.test(word);
    const expected = isWord ? suggestion({ written: word, known }) : TRIGGER_FORM;
    throw new FaultTextError(`"${word}" is nothing that ${id} strikes; ${expected}`);
  }
  return {
    // The first word means everything that the fault can hit, so it selects nothing.
    ...(word !== known[0] && { verb: word }),
    ...(hasName(words) && { resource: words.take() }),
  };
}

/** Whether the next word is neither the end nor a keyword. */
function hasName(words: Words): boolean {
  return !words.isAtEnd && words.peek() !== "by" && !isTimes(words);
}

function isTimes(words: Words): boolean {
  return words.peek(1) === "times";
}

function timesOf(words: Words): number | undefined {
  if (!isTimes(words)) return undefined;
  const word = words.take();
  words.take();
  if (NUMBER.test(word)) return Number(word);
  throw new FaultTextError(`"${word} times" is not a number of times; expected one such as 3 times`);
}
