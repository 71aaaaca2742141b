import { customKinds } from "@capstan/api";
import {
  builtInKinds,
  createApiServer,
  createAuthority,
  issueCertificate,
  type Storage,
} from "@capstan/apiserver";
import { createRealEnv, serveHttp } from "@capstan/env";
import { PlainCrate } from "../../packages/apiserver/src/crd/converted-kind.fixture.ts";
import { USERS } from "./kit.ts";
import type { RunningServer } from "./suite.ts";

const ADMIN_TOKEN = "token-of-admin";
// As kube-apiserver: more than etcd takes, so that what is too large is refused in words.
const BODY_LIMIT_BYTES = 3 * 1024 * 1024;

/** Serves the embedded API over TLS, as users meet it. */
export async function startEmbedded(storage: Storage): Promise<RunningServer> {
  const env = createRealEnv();
  const rules = [...customKinds, PlainCrate];
  const server = createApiServer({ env, kinds: builtInKinds, rules, storage });
  const authority = await createAuthority(env);
  const certificate = await issueCertificate(env, authority, { type: "server", hosts: ["127.0.0.1"] });
  const users = new Map(USERS.map(({ name, token }) => [token, { name, groups: [] as string[] }]));
  users.set(ADMIN_TOKEN, { name: "admin", groups: ["system:masters"] });
  const handler = server.secured({ userOfToken: (token) => users.get(token) });
  const listening = await serveHttp(handler, { tls: certificate, bodyLimitBytes: BODY_LIMIT_BYTES });
  return {
    url: `https://127.0.0.1:${listening.port}`,
    ca: authority.cert,
    adminToken: ADMIN_TOKEN,
    stop: () => listening.close(),
  };
}
