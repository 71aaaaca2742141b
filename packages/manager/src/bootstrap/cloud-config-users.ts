import type { Frozen, KubeadmConfig } from "@capstan/api";
import { type SecretValues, valueIn } from "./secret-values.ts";
import type { YamlValue } from "./yaml-text.ts";

type User = NonNullable<Frozen<KubeadmConfig>["spec"]["users"]>[number];

// cloud-init's field `inactive` counts days after a password has expired; an expired account denies every login.
const LONG_AGO = "1970-01-02";

/** A user that cloud-init creates. */
export function createdUser(user: User, values: SecretValues): YamlValue {
  const { passwdFrom } = user;
  const passwd = passwdFrom
    ? Buffer.from(valueIn(values, passwdFrom.secret)).toString("utf8").trim()
    : user.passwd;
  return {
    name: user.name,
    gecos: user.gecos,
    groups: user.groups,
    primary_group: user.primaryGroup,
    homedir: user.homeDir,
    shell: user.shell,
    passwd,
    lock_passwd: user.lockPassword,
    expiredate: user.inactive === true ? LONG_AGO : undefined,
    sudo: user.sudo,
    ssh_authorized_keys: user.sshAuthorizedKeys,
  };
}
