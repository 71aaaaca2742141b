import type { Handler, HttpResponse } from "@capstan/env";
import type { Logger } from "@capstan/runtime";
import { ReviewError } from "./admission-review.ts";
import { convertReviewed } from "./conversion-review.ts";
import { isDeeperThan } from "./nesting.ts";
import { review, type ReviewRules, type ReviewVerb } from "./review.ts";

/**
 * The longest accepted body. kube-apiserver accepts objects of up to 3 MiB, and the review of an update also has the old
 * object; the rest is small.
 */
export const LONGEST_REVIEW_BYTES = 8 * 1024 * 1024;

/**
 * The longest accepted body of a conversion. kube-apiserver converts all objects of a list at once; this is enough for some
 * thousand large ones.
 */
export const LONGEST_CONVERSION_BYTES = 64 * 1024 * 1024;

// No kind nests half as deep; the rules walk objects by recursion.
const DEEPEST_NESTING = 200;

/** What is served at one path. */
interface Webhook {
  readonly limitBytes: number;
  answer(question: unknown, rules: ReviewRules): object;
}

const admission = (verb: ReviewVerb): Webhook => ({
  limitBytes: LONGEST_REVIEW_BYTES,
  answer: (question, rules) => review(verb, question, rules),
});

const WEBHOOKS: ReadonlyMap<string, Webhook> = new Map([
  ["/mutate", admission("mutate")],
  ["/validate", admission("validate")],
  [
    "/convert",
    { limitBytes: LONGEST_CONVERSION_BYTES, answer: (question): object => convertReviewed(question) },
  ],
]);

/**
 * Answers `POST /mutate`, `POST /validate` and `POST /convert`; a body that is not a review is refused with the reason.
 * Conversions need neither features nor users: they are part of the API, not of the controllers.
 */
export function createWebhookHandler(log: Logger, rules: ReviewRules = {}): Handler {
  return async ({ method, path, body }) => {
    // kube-apiserver adds its timeout as a query.
    const webhook = WEBHOOKS.get(path.split("?")[0] ?? "");
    if (!webhook) return text(404, `this server serves ${[...WEBHOOKS.keys()].join(", ")}`);
    if (method !== "POST") return text(405, "this server accepts only POST");
    const { limitBytes } = webhook;
    if (typeof body === "string" && Buffer.byteLength(body) > limitBytes)
      return text(413, `the review is longer than ${limitBytes} bytes`);
    try {
      return json(webhook.answer(questionIn(body), rules));
    } catch (error) {
      if (error instanceof SyntaxError) return text(400, `the body is not JSON: ${error.message}`);
      if (error instanceof ReviewError) return text(400, error.message);
      log.error("Bug in a review", { error, path });
      return text(
        500,
        "capstan's admission failed on this object because of a bug; see the log of the manager",
      );
    }
  };
}

function questionIn(body: unknown): unknown {
  const question: unknown = typeof body === "string" ? JSON.parse(body) : body;
  if (!isDeeperThan(DEEPEST_NESTING, question)) return question;
  throw new ReviewError(`the review is nested deeper than ${DEEPEST_NESTING} levels`);
}

function json(value: object): HttpResponse {
  return answer(200, JSON.stringify(value), "application/json");
}

function text(status: number, sentence: string): HttpResponse {
  return answer(status, `${sentence}\n`, "text/plain; charset=utf-8");
}

function answer(status: number, body: string, type: string): HttpResponse {
  return {
    status,
    headers: { "content-type": type },
    text: () => Promise.resolve(body),
    json: () => Promise.resolve().then(() => JSON.parse(body) as unknown),
    lines: () => {
      throw new TypeError("the response to a review must not be a stream");
    },
  };
}
