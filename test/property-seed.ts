/** Properties are tried on the same cases every time: a run that is green stays green. `PROPERTY_SEED=2 npm test` tries others. */
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env["PROPERTY_SEED"] ?? 1) });
