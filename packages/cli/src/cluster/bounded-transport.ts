import { type Env, type HttpRequest, type Transport, TransportError } from "@capstan/env";
import { aborted } from "../signals.ts";

// A server waits 10 s for a webhook by default: its own explanation of a slow one arrives first.
const ANSWER_WITHIN_MS = 12_000;

/**
 * A transport for a user who waits: a server that accepts a request and does not answer is an error after seconds, and
 * closing the transport aborts the requests that the command has given up. `origin` is the kubeconfig.
 */
export function boundedTransport(env: Env, transport: Transport, origin: string): Transport {
  const closed = new AbortController();
  return {
    request: async (request: HttpRequest) => {
      const late = new AbortController();
      const timer = env.clock.timer(ANSWER_WITHIN_MS, () => late.abort(noAnswer(origin)));
      const givenUp = AbortSignal.any([closed.signal, late.signal]);
      const signal = request.signal ? AbortSignal.any([givenUp, request.signal]) : givenUp;
      try {
        // An attempt to connect does not end when its signal is aborted.
        return await Promise.race([transport.request({ ...request, signal }), rejectedBy(givenUp)]);
      } finally {
        timer.cancel();
      }
    },
    close: () => {
      closed.abort(new TransportError("reset", "the command has ended"));
      // Not awaited: it waits for attempts to connect, which no signal aborts. The process ends without them.
      void transport.close();
      return Promise.resolve();
    },
  };
}

/** Rejects with the reason when a signal is aborted. */
async function rejectedBy(signal: AbortSignal): Promise<never> {
  await aborted(signal);
  throw signal.reason;
}

function noAnswer(origin: string): TransportError {
  const limit = `${ANSWER_WITHIN_MS / 1000} s`;
  const advice = "check its address there, and that it runs";
  return new TransportError("reset", `no answer within ${limit} from the server of ${origin}; ${advice}`);
}
