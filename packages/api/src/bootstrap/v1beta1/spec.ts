import { SecretKey } from "../../kubernetes/local-reference.ts";
import { boolean, integer, listOf, object, oneOf, optional, string } from "../../schema/schema.ts";
import { ClusterConfiguration } from "./cluster-configuration.ts";
import { DiskSetup } from "./disk-setup.ts";
import { mounts, path, texts, word } from "./fields.ts";
import { InitConfiguration } from "./init-configuration.ts";
import { JoinConfiguration } from "./join-configuration.ts";

const FromSecret = object("Where the value comes from.", { secret: SecretKey });

const File = object("A file to write at the first boot.", {
  path: path("The path of the file."),
  owner: optional(word("The owner, such as root:root.")),
  permissions: optional(string("The permissions, such as 0640.", { minLength: 1, maxLength: 16 })),
  encoding: optional(oneOf("How the content is encoded.", ["base64", "gzip", "gzip+base64"])),
  append: optional(boolean("Whether to append to an existing file.")),
  content: optional(string("The content.", { minLength: 1, maxLength: 10240 })),
  contentFormat: optional(
    oneOf("Whether the content is taken as it is or as a template.", ["Raw", "Template"]),
  ),
  contentFrom: optional(FromSecret),
});

const User = object("A user to create at the first boot.", {
  name: word("The name of the user."),
  gecos: optional(word("What the user is for.")),
  groups: optional(word("Further groups of the user.")),
  homeDir: optional(word("The home directory.")),
  inactive: optional(boolean("Whether the user cannot log in.")),
  shell: optional(word("The shell.")),
  passwd: optional(word("The hash of the password.")),
  passwdFrom: optional(FromSecret),
  primaryGroup: optional(word("The first group of the user.")),
  lockPassword: optional(boolean("Whether logging in with a password is disabled.")),
  sudo: optional(word("The sudo permissions of the user.")),
  sshAuthorizedKeys: optional(texts("The SSH keys of the user.", { maxLength: 2048, maxItems: 100 })),
});

const COMMANDS = { maxLength: 10240, maxItems: 1000 };

/** How a machine is set up and becomes a node with kubeadm. */
export const KubeadmConfigSpec = object("How the machine is set up and becomes a node with kubeadm.", {
  clusterConfiguration: optional(ClusterConfiguration),
  initConfiguration: optional(InitConfiguration),
  joinConfiguration: optional(JoinConfiguration),
  files: optional(listOf("Files to write.", File, { maxItems: 200 })),
  diskSetup: optional(DiskSetup),
  mounts: optional(mounts()),
  bootCommands: optional(texts("Commands for each boot, before anything else.", COMMANDS)),
  preKubeadmCommands: optional(texts("Commands to run before kubeadm.", COMMANDS)),
  postKubeadmCommands: optional(texts("Commands to run after kubeadm.", COMMANDS)),
  users: optional(listOf("Users to create.", User, { maxItems: 100 })),
  ntp: optional(
    object("Where the machine gets the time.", {
      servers: optional(texts("The time servers.", { maxLength: 512, maxItems: 100 })),
      enabled: optional(boolean("Whether to use them.")),
    }),
  ),
  format: optional(
    oneOf("The format of the bootstrap data; default: cloud-config.", ["cloud-config", "ignition"]),
  ),
  verbosity: optional(integer("How much kubeadm logs.")),
  useExperimentalRetryJoin: optional(boolean("Has no effect; kept for old manifests.")),
  ignition: optional(
    object("Settings for the format ignition.", {
      containerLinuxConfig: optional(
        object("Container Linux config.", {
          additionalConfig: optional(
            string("Config to merge with ours.", { minLength: 1, maxLength: 32768 }),
          ),
          strict: optional(boolean("Whether warnings are errors.")),
        }),
      ),
    }),
  ),
});
