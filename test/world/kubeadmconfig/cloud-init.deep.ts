import { parseYaml } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { RICH_WORKER } from "../../../packages/manager/src/bootstrap/rich-config.fixture.ts";
import { type Worker, workerData } from "../../../packages/manager/src/bootstrap/worker-data.ts";
import { type CloudInit, fileOf, findCloudInit } from "./cloud-init.ts";

const found = findCloudInit();
const cloudInit: CloudInit = typeof found === "string" ? () => ({ isOk: false, output: found }) : found;
const METADATA = JSON.stringify({
  ds: { meta_data: { local_hostname: "pool-000001" } },
  v1: { local_hostname: "pool-000001" },
});

if (typeof found === "string") console.warn(`What cloud-init says of our data is not tested: ${found}`);

/** The data as a machine sees it after cloud-init's template engine. */
function rendered(worker: Worker): string {
  const { isOk, output } = cloudInit("devel", "render", "-i", fileOf(METADATA), fileOf(workerData(worker)));
  expect(isOk, output).toBe(true);
  return output;
}

function schemaProblems(config: string): string {
  const { isOk, output } = cloudInit("schema", "--config-file", fileOf(config));
  return isOk ? "" : output;
}

describe.skipIf(typeof found === "string")("Debian's cloud-init", () => {
  test("finds every field of a rich config valid", () => {
    expect(schemaProblems(rendered(RICH_WORKER))).toBe("");
  });

  test("finds the config of a bare worker valid, for an older kubeadm too", () => {
    expect(schemaProblems(rendered({ ...RICH_WORKER, spec: {}, version: "v1beta3" }))).toBe("");
  });

  test("would say so if it were not", () => {
    expect(schemaProblems("#cloud-config\nruncmd: yes\n")).toContain("runcmd");
  });

  test.each([
    `{{ ds.meta_data["local_hostname"] }}`,
    `{{ ds.meta_data['local_hostname'] }}`,
    `{{ ds['meta_data']["local_hostname"] }}`,
    `{{ ds.meta_data.local_hostname }}`,
  ])("fills in %s wherever it stands", (name) => {
    const spec = {
      joinConfiguration: { nodeRegistration: { name } },
      preKubeadmCommands: [`echo ${name}`, `echo "${name}" 'x'\necho`],
      files: [{ path: "/a", content: `  ${name}\n"'` }],
    };
    const text = rendered({ ...RICH_WORKER, spec });
    expect(text).not.toContain("{{");
    expect(schemaProblems(text)).toBe("");
    const { runcmd, write_files: files } = parseYaml(text) as {
      runcmd: string[];
      write_files: { content: string }[];
    };
    expect(runcmd.slice(0, 2)).toEqual(["echo pool-000001", `echo "pool-000001" 'x'\necho`]);
    expect(files[0]?.content).toBe(`  pool-000001\n"'`);
    expect(parseYaml(files[1]?.content ?? "")).toMatchObject({ nodeRegistration: { name: "pool-000001" } });
  });
});
