import { type Answer, JsonList, reply } from "./answer.ts";
import { ArmError } from "./errors.ts";

/** A page of a list, and where the next page starts. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextSkip: number | undefined;
}

/** Cuts one page out of all items; `$skiptoken` says where the previous page ended. */
export function pageOf<T>(items: Iterable<T>, query: URLSearchParams, size: number): Page<T> {
  const skip = skipOf(query);
  const page: T[] = [];
  let index = 0;
  for (const item of items) {
    if (index++ < skip) continue;
    if (page.length === size) return { items: page, nextSkip: skip + size };
    page.push(item);
  }
  return { items: page, nextSkip: undefined };
}

function skipOf(query: URLSearchParams): number {
  const token = query.get("$skiptoken") ?? query.get("$skipToken");
  if (token === null) return 0;
  const skip = /^\d{1,9}$/.test(token) ? Number(token) : NaN;
  if (Number.isNaN(skip)) {
    throw new ArmError(400, {
      code: "InvalidSkipToken",
      message: `The skip token '${token}' is invalid. Use the nextLink of the page before as it is.`,
    });
  }
  return skip;
}

interface Asked {
  readonly origin: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** A list as an answer, with a nextLink when more pages follow. */
export function listAnswer(value: readonly unknown[], nextSkip: number | undefined, call: Asked): Answer {
  const nextLink = linkTo(nextSkip, call);
  return reply(200, { value, ...(nextLink !== undefined && { nextLink }) });
}

/** The same for items that are JSON texts already. */
export function textListAnswer(texts: readonly string[], nextSkip: number | undefined, call: Asked): Answer {
  return reply(200, new JsonList(texts, linkTo(nextSkip, call)));
}

function linkTo(nextSkip: number | undefined, call: Asked): string | undefined {
  if (nextSkip === undefined) return undefined;
  const query = new URLSearchParams(call.query);
  query.delete("$skipToken");
  query.set("$skiptoken", String(nextSkip));
  return `${call.origin}${call.path}?${query.toString()}`;
}
