#!/usr/bin/env node
// Runs on any Node from 12 on, so that an old one can say what is wrong or hand over to the one that npm installed.
import { spawn } from "child_process";
import module from "module";
import { constants } from "os";
import { dirname, join } from "path";
import { fileURLToPath } from "url";

const NEEDED = [22, 19];
const require = module.createRequire(import.meta.url);

const [major, minor] = process.versions.node.split(".").map(Number);
if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) start();
else handOver();

function start() {
  // Only what we say ourselves is for users; that Node calls a part of itself experimental is not.
  process.removeAllListeners("warning");
  process.on("warning", (warning) => {
    if (warning.name !== "ExperimentalWarning") console.error(`${warning.name}: ${warning.message}`);
  });
  module.enableCompileCache();
  import("../src/main.ts").catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
}

/** The Node among the root's optional dependencies; undefined on a system that none is made for. */
function bundledNode() {
  try {
    const manifest = require.resolve(`node-${process.platform}-${process.arch}/package.json`);
    return join(dirname(manifest), "bin", "node");
  } catch {
    return undefined;
  }
}

function handOver() {
  const node = bundledNode();
  if (node === undefined) {
    console.error(`capstan: needs Node ${NEEDED.join(".")} or newer; this is ${process.version}`);
    process.exitCode = 1;
    return;
  }
  const child = spawn(node, [fileURLToPath(import.meta.url)].concat(process.argv.slice(2)), {
    stdio: "inherit",
  });
  ["SIGINT", "SIGTERM", "SIGHUP"].forEach((signal) => process.on(signal, () => child.kill(signal)));
  child.on("error", (error) => {
    console.error(`capstan: ${node} cannot be run: ${error.message}`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => process.exit(signal === null ? code : 128 + constants.signals[signal]));
}
