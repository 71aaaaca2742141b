import { isJsonObject, parseYaml } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { RICH_SPEC, RICH_WORKER } from "./rich-config.fixture.ts";
import { refusalOf, sizeProblem, type Worker, workerData } from "./worker-data.ts";

type Config = Record<string, unknown>;

function configOf(changes: Partial<Worker["spec"]> = {}, worker: Worker = RICH_WORKER): Config {
  const config = parseYaml(workerData({ ...worker, spec: { ...worker.spec, ...changes } }));
  if (!isJsonObject(config)) throw new Error("not a map");
  return config;
}

function fileIn(config: Config, path: string): unknown {
  return (config["write_files"] as Config[]).findLast((file) => file["path"] === path);
}

describe("the data of a worker", () => {
  test("starts with cloud-init's header, with the template engine on", () => {
    expect(workerData(RICH_WORKER).split("\n").slice(0, 2)).toEqual(["## template: jinja", "#cloud-config"]);
  });

  test("is the same, byte for byte, for the same worker", () => {
    const shuffled = {
      ...RICH_SPEC,
      joinConfiguration: {
        ...RICH_SPEC.joinConfiguration,
        nodeRegistration: {
          ...RICH_SPEC.joinConfiguration?.nodeRegistration,
          kubeletExtraArgs: [
            { name: "node-labels", value: "pool=blue" },
            { name: "azure-container-registry-config", value: "/etc/kubernetes/azure.json" },
            { name: "cloud-provider", value: "external" },
          ],
        },
      },
    };
    expect(workerData({ ...RICH_WORKER, spec: shuffled })).toBe(workerData(RICH_WORKER));
  });

  test("runs the commands of users around kubeadm, and writes the sentinel file afterwards", () => {
    const { bootcmd, runcmd } = configOf();
    expect(bootcmd).toEqual(['echo "$(date)" >> /var/log/boots']);
    expect(runcmd).toEqual([
      'hostnamectl set-hostname "{{ ds.meta_data.local_hostname }}"',
      "echo 'a: b' | tee -a /etc/x",
      "kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml --v 5 && echo success > /run/cluster-api/bootstrap-success.complete",
      "for each in 1 2; do\n  echo \"$each\" 'and more'\ndone\n",
    ]);
  });

  test("writes files unchanged, also binary ones from Secrets", () => {
    const config = configOf();
    expect(fileIn(config, "/etc/kubernetes/azure.json")).toEqual({
      path: "/etc/kubernetes/azure.json",
      content: '{\n  "cloud": "AzurePublicCloud"\n}\n',
      owner: "root:root",
      permissions: "0644",
    });
    expect(fileIn(config, "/etc/profile.d/proxy.sh")).toMatchObject({ append: true });
    expect(fileIn(config, "/etc/motd")).toEqual({
      path: "/etc/motd",
      encoding: "base64",
      content: "aGVsbG8K",
    });
    expect(fileIn(config, "/opt/blob")).toEqual({ path: "/opt/blob", encoding: "base64", content: "/wCA" });
  });

  test("compressed bytes from a Secret stay compressed", () => {
    const files = [
      { path: "/b", encoding: "gzip" as const, contentFrom: { secret: { name: "blob", key: "bytes" } } },
    ];
    expect(fileIn(configOf({ files }), "/b")).toEqual({
      path: "/b",
      encoding: "gzip+base64",
      content: "/wCA",
    });
  });

  test("puts its own files after those of users, so that users cannot replace them by accident", () => {
    const path = "/run/kubeadm/kubeadm-join-config.yaml";
    expect(fileIn(configOf({ files: [{ path, content: "mine" }] }), path)).toMatchObject({
      permissions: "0640",
    });
  });

  test("creates users; an inactive one has an expired account", () => {
    expect(configOf()["users"]).toEqual([
      {
        name: "capi",
        gecos: "Cluster API",
        groups: "docker, adm",
        primary_group: "capi",
        homedir: "/home/capi",
        shell: "/bin/bash",
        passwd: "$6$salt$hash",
        lock_passwd: false,
        sudo: "ALL=(ALL) NOPASSWD:ALL",
        ssh_authorized_keys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIDnY9 capi@example.com"],
      },
      { name: "gone", passwd: "$6$rounds=4096$abc", expiredate: "1970-01-02" },
    ]);
  });

  test("divides, formats and mounts disks", () => {
    const { disk_setup: disks, fs_setup: filesystems, mounts } = configOf();
    expect(disks).toEqual({
      "/dev/disk/azure/scsi1/lun0": { table_type: "gpt", layout: true, overwrite: false },
      "/dev/sdc": { layout: [[30, 82], 70] },
    });
    expect(filesystems).toEqual([
      {
        label: "etcd_disk",
        filesystem: "ext4",
        device: "/dev/disk/azure/scsi1/lun0",
        extra_opts: ["-E", "lazy_itable_init=1"],
      },
      {
        label: "ephemeral0",
        filesystem: "ext4",
        device: "ephemeral0.1",
        partition: "auto",
        overwrite: false,
        replace_fs: "ntfs",
      },
    ]);
    expect(mounts).toEqual([["LABEL=etcd_disk", "/var/lib/etcddisk", "auto", "defaults,nofail", "0", "2"]]);
  });

  test("sets the clock", () => {
    expect(configOf()["ntp"]).toEqual({ enabled: true, servers: ["time.example.com", "169.254.169.254"] });
  });

  test("has only the join for an empty config", () => {
    const bare = { ...RICH_WORKER, spec: {} };
    expect(Object.keys(configOf({}, bare))).toEqual(["write_files", "runcmd"]);
  });
});

test.each([
  [{ format: "ignition" as const }, 'spec.format: "ignition"'],
  [{ ignition: {} }, 'spec.format: "ignition"'],
  [
    { files: [{ path: "/a" }, { path: "/b", contentFormat: "Template" as const }] },
    "spec.files[1].contentFormat",
  ],
])("a config with %j is refused with the name of the field", (spec, field) => {
  expect(refusalOf(spec)).toContain(field);
});

test("a config of the usual kind is not refused", () => {
  expect(refusalOf(RICH_SPEC)).toBeUndefined();
});

test("data may have one byte less than 64 KiB, counted in bytes", () => {
  expect(sizeProblem("x".repeat(65_535))).toBeUndefined();
  expect(sizeProblem("x".repeat(65_536))).toContain("65536 bytes, but Azure accepts at most 65535");
  expect(sizeProblem("é".repeat(40_000))).toContain("80000 bytes");
});
