/**
 * Clusters whose control planes are machines: 3 control planes and 3 workers each on the simulated Azure in virtual time, and
 * 1 and 1 each in real time on a real kube-apiserver with a test provider, beside what upstream did there.
 *
 * `npm run bench -- control-planes 20 1 10` takes 20 clusters in virtual time, and then 1 and 10 in real time; 0 leaves a part out.
 */
import { realClusters } from "./control-planes/real-clusters.ts";
import { virtualClusters } from "./control-planes/virtual-clusters.ts";

const [, virtual = "50", ...real] = process.argv.slice(2);
if (Number(virtual) > 0) await virtualClusters(Number(virtual));
console.log();
const counts = (real.length === 0 ? ["1", "10"] : real).map(Number).filter((count) => count > 0);
if (counts.length > 0) await realClusters(counts);
