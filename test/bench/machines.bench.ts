/**
 * MachineDeployments: 1,000 machines on the simulated Azure in virtual time, and 100 in real time on a real kube-apiserver,
 * beside what upstream did there.
 *
 * `npm run bench -- machines 100 20` takes fewer machines; 0 leaves a part out.
 */
import { realMachines } from "./machines/real-machines.ts";
import { virtualMachines } from "./machines/virtual-machines.ts";

const [, virtual = "1000", real = "100"] = process.argv.slice(2);
if (Number(virtual) > 0) await virtualMachines(Number(virtual));
console.log();
if (Number(real) > 0) await realMachines(Number(real));
