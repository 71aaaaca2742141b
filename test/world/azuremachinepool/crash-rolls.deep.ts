import { sweep } from "./crash-sweep.ts";

// Beside crash.deep.ts, so that two cores share the work.
sweep("2", ["roll by Replace", "roll InPlace", "become a newer Capstan in mid-rollout"]);
