/**
 * Writes the text of a data directory: `node test/upgrade/make-fixture.ts DATA_DIR FOLDER`.
 *
 * `fixture-0.1` was made by the last commit that stored v1beta1 of Cluster API's kinds (1344ddb8), from
 * `capstan up --speed 60 --feature-gates InPlaceUpdates=true,NodePrototyping=true` with examples/machine-pool (2 replicas),
 * in-place (3 control planes, 1 worker), aks (1 and 1), image-caching (2) and machine-deployment (2), applied with kubectl
 * and stopped by `capstan down` when all of it was ready and the first node image was published.
 *
 * `fixture-0.1-updating` was made by the same commit from examples/in-place with two workers, in the middle of two updates in
 * place that need an approval: of the control plane to v1.34.1, with its first machine updated, the others approved and the
 * second one running; and of the workers to v1.33.6, with the first one running. Both updaters had been called once.
 */
import { writeRows } from "./data-rows.ts";

const [dataDir, folder] = process.argv.slice(2);
if (dataDir === undefined || folder === undefined) throw new Error("expected DATA_DIR FOLDER");
writeRows(dataDir, folder);
