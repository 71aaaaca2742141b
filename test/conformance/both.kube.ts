import { createMemoryStorage } from "@capstan/apiserver";
import { startControlPlane } from "../kube/control-plane.ts";
import { runsAll } from "../sample.ts";
import { startEmbedded } from "./embedded-server.ts";
import { USERS } from "./kit.ts";
import { conformance } from "./suite.ts";

conformance("kube-apiserver", () => startControlPlane({ users: USERS }));
// Side by side, so that one look shows what holds for both. `npm test` has this half (embedded.test.ts), so the gate has it once.
if (runsAll) conformance("the embedded API server", () => startEmbedded(createMemoryStorage()));
