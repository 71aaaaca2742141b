import { createAuthority, issueCertificate } from "@capstan/apiserver";
import { createRealEnv, serveHttp } from "@capstan/env";
import {
  type ConversionRules,
  convertReviewed,
} from "../../packages/manager/src/webhooks/conversion-review.ts";

/** A conversion webhook that a real kube-apiserver can reach. */
export interface ConversionWebhook {
  readonly clientConfig: { readonly url: string; readonly caBundle: string };
  close(): Promise<void>;
}

/** Serves the conversions of Capstan on loopback. */
export function serveConversions(rules: ConversionRules): Promise<ConversionWebhook> {
  return serveReviews((review) => convertReviewed(review, rules));
}

/** Serves answers to conversion reviews on loopback. */
export async function serveReviews(answerTo: (review: unknown) => unknown): Promise<ConversionWebhook> {
  const env = createRealEnv();
  const authority = await createAuthority(env);
  const tls = await issueCertificate(env, authority, { type: "server", hosts: ["127.0.0.1"] });
  const listening = await serveHttp(
    ({ body }) => {
      const answer = JSON.stringify(answerTo(JSON.parse(String(body))));
      return Promise.resolve({
        status: 200,
        headers: { "content-type": "application/json" },
        text: () => Promise.resolve(answer),
        json: () => Promise.resolve(JSON.parse(answer) as unknown),
        lines: () => {
          throw new TypeError("the answer to a review is not a stream");
        },
      });
    },
    { tls },
  );
  return {
    clientConfig: {
      url: `https://127.0.0.1:${listening.port}/convert`,
      caBundle: Buffer.from(authority.cert).toString("base64"),
    },
    close: () => listening.close(),
  };
}
