/**
 * Writes the text of a data directory: `node test/upgrade/make-fixture.ts DATA_DIR FOLDER`.
 *
 * `fixture-0.1` was made by the last commit that stored v1beta1 of Cluster API's kinds (1344ddb8), from
 * `capstan up --speed 60 --feature-gates InPlaceUpdates=true,NodePrototyping=true` with examples/machine-pool (2 replicas),
 * in-place (3 control planes, 1 worker), aks (1 and 1), image-caching (2) and machine-deployment (2), applied with kubectl
 * and stopped by `capstan down` when all of it was ready and the first node image was published.
 */
import { writeRows } from "./data-rows.ts";

const [dataDir, folder] = process.argv.slice(2);
if (dataDir === undefined || folder === undefined) throw new Error("expected DATA_DIR FOLDER");
writeRows(dataDir, folder);
