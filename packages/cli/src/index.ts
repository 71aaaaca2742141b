/** The command line of Capstan. */
export { run } from "./program.ts";
export type { Shell, Terminal } from "./shell.ts";
export { simulatedControllers } from "./controllers/simulated-controllers.ts";
export { drawnTimes } from "./plan/times/expected-times.ts";
