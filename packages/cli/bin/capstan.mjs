#!/usr/bin/env node
// Runs on Node 12 and newer, so that an old Node can start the one that npm installed, or print an error.
import { spawn } from "child_process";
import module from "module";
import { constants } from "os";
import { dirname, join } from "path";
import { fileURLToPath } from "url";

const NEEDED = [22, 19];
const require = module.createRequire(import.meta.url);

const [major, minor] = process.versions.node.split(".").map(Number);
if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) start();
else runBundledNode();

function start() {
  // Users should not see Node's warnings about its experimental features.
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

/** The Node among the root's optional dependencies; undefined on a system without one. */
function bundledNode() {
  try {
    const manifest = require.resolve(`node-${process.platform}-${process.arch}/package.json`);
    return join(dirname(manifest), "bin", "node");
  } catch {
    return undefined;
  }
}

function runBundledNode() {
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
