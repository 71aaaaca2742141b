import { createMemoryStorage } from "@capstan/apiserver";
import { startEmbedded } from "./embedded-server.ts";
import { conformance } from "./suite.ts";

conformance("the embedded API server", () => startEmbedded(createMemoryStorage()));
