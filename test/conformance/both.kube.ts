import { createMemoryStorage } from "@capstan/apiserver";
import { PlainCrate } from "../../packages/apiserver/src/crd/converted-kind.fixture.ts";
import { serveConversions } from "../conversion/webhook.ts";
import { startControlPlane } from "../kube/control-plane.ts";
import { runsAll } from "../sample.ts";
import { startEmbedded } from "./embedded-server.ts";
import { USERS } from "./kit.ts";
import { conformance } from "./suite.ts";

conformance("kube-apiserver", async () => {
  const conversions = await serveConversions({ kinds: [PlainCrate], versionOf: () => undefined });
  const plane = await startControlPlane({ users: USERS });
  const stop = async (): Promise<void> => {
    await plane.stop();
    await conversions.close();
  };
  return { ...plane, conversionWebhook: conversions.clientConfig, stop };
});
// Side by side, so that one look shows what holds for both. `npm test` has this half (embedded.test.ts), so the gate has it once.
if (runsAll) conformance("the embedded API server", () => startEmbedded(createMemoryStorage()));
