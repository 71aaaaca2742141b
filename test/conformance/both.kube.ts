import { createMemoryStorage } from "@capstan/apiserver";
import { startControlPlane } from "../kube/control-plane.ts";
import { startEmbedded } from "./embedded-server.ts";
import { USERS } from "./kit.ts";
import { conformance } from "./suite.ts";

// Side by side, so that one look shows what holds for both.
conformance("kube-apiserver", () => startControlPlane({ users: USERS }));
conformance("the embedded API server", () => startEmbedded(createMemoryStorage()));
