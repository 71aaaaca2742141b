import { type KubeadmConfig, parseYaml } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { RSA_AUTHORITY } from "../../../packages/manager/src/bootstrap/authority.fixture.ts";
import { rootFile } from "../../../packages/manager/src/bootstrap/cloud-config-files.ts";
import { initData } from "../../../packages/manager/src/bootstrap/init-data.ts";
import { RICH_SPEC, RICH_WORKER } from "../../../packages/manager/src/bootstrap/rich-config.fixture.ts";
import {
  controlPlaneJoinData,
  type Worker,
  workerData,
} from "../../../packages/manager/src/bootstrap/worker-data.ts";
import { type CloudInit, fileOf, findCloudInit } from "./cloud-init.ts";

const found = findCloudInit();
const cloudInit: CloudInit = typeof found === "string" ? () => ({ isOk: false, output: found }) : found;
const METADATA = JSON.stringify({
  ds: { meta_data: { local_hostname: "pool-000001" } },
  v1: { local_hostname: "pool-000001" },
});

if (typeof found === "string") console.warn(`What cloud-init says of our data is not tested: ${found}`);

/** The data as a machine sees it after cloud-init's template engine. */
function rendered(data: string): string {
  const { isOk, output } = cloudInit("devel", "render", "-i", fileOf(METADATA), fileOf(data));
  expect(isOk, output).toBe(true);
  return output;
}

function schemaProblems(config: string): string {
  const { isOk, output } = cloudInit("schema", "--config-file", fileOf(config));
  return isOk ? "" : output;
}

const CERTIFICATES = ["ca", "etcd/ca", "front-proxy-ca"].map((name) =>
  rootFile(`/etc/kubernetes/pki/${name}.crt`, RSA_AUTHORITY.pem),
);

/** The spec of a control plane as users of CAPZ write it. */
const CONTROL_PLANE_SPEC: KubeadmConfig["spec"] = {
  ...RICH_SPEC,
  clusterConfiguration: {
    apiServer: { extraArgs: [{ name: "cloud-provider", value: "external" }], certSANs: ["api.example.com"] },
    controllerManager: {
      extraArgs: [
        { name: "allocate-node-cidrs", value: "false" },
        { name: "cluster-name", value: "c1" },
      ],
    },
    etcd: {
      local: {
        dataDir: "/var/lib/etcddisk/etcd",
        extraArgs: [{ name: "quota-backend-bytes", value: "8589934592" }],
      },
    },
  },
  initConfiguration: {
    nodeRegistration: {
      name: '{{ ds.meta_data["local_hostname"] }}',
      kubeletExtraArgs: [{ name: "cloud-provider", value: "external" }],
    },
  },
};

function initOf(worker: Worker): string {
  const { spec, version, values } = worker;
  const facts = {
    clusterName: "c1",
    endpoint: worker.target.endpoint,
    kubernetesVersion: "v1.34.1",
    network: { pods: { cidrBlocks: ["192.168.0.0/16"] } },
  };
  return initData({ spec, version, values, facts, certificates: CERTIFICATES });
}

describe.skipIf(typeof found === "string")("Debian's cloud-init", () => {
  test.each<[step: string, data: (worker: Worker) => string, file: string]>([
    ["kubeadm init", initOf, "kubeadm.yaml"],
    [
      "kubeadm join of a control plane",
      (worker) => controlPlaneJoinData(worker, CERTIFICATES),
      "kubeadm-join-config.yaml",
    ],
  ])("finds the config of %s valid, and keeps its certificates", (_, data, file) => {
    const text = rendered(data({ ...RICH_WORKER, spec: CONTROL_PLANE_SPEC }));
    expect(schemaProblems(text)).toBe("");
    const { write_files: files } = parseYaml(text) as { write_files: { path: string; content: string }[] };
    const contentOf = (path: string) => files.find((one) => one.path === path)?.content;
    expect(contentOf("/etc/kubernetes/pki/etcd/ca.crt")).toBe(RSA_AUTHORITY.pem);
    expect(contentOf(`/run/kubeadm/${file}`)).toMatch(/name: ["']?pool-000001/);
  });

  test("finds every field of a rich config valid", () => {
    expect(schemaProblems(rendered(workerData(RICH_WORKER)))).toBe("");
  });

  test("finds the config of a bare worker valid, for an older kubeadm too", () => {
    expect(schemaProblems(rendered(workerData({ ...RICH_WORKER, spec: {}, version: "v1beta3" })))).toBe("");
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
    const text = rendered(workerData({ ...RICH_WORKER, spec }));
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
