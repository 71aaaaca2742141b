import { createHash, X509Certificate } from "node:crypto";

/**
 * The CA of all API servers in a simulated world. It signs nothing and no connection is verified with it. Machines pin it
 * when they join, and it is constant so that runs are reproducible.
 */
export const SIMULATED_AUTHORITY = `-----BEGIN CERTIFICATE-----
MIIBgDCCASWgAwIBAgIUGE0RceN3K3NXuSvTZbDqfZ9Ag1gwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJc2ltdWxhdGVkMCAXDTI2MTExNjAzMDQyN1oYDzIxMjYxMDIz
MDMwNDI3WjAUMRIwEAYDVQQDDAlzaW11bGF0ZWQwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQJW08hu2gA/Ka6vcPRMCYDsojhZJqjbjd1feZwDirwt2/yDoT/2lpd
ZC0MtXhUnWwU4jN+qm6xkdIuchDlP8Bho1MwUTAdBgNVHQ4EFgQUTBNLh7DcrS1W
mdplTBSYZHwiFKIwHwYDVR0jBBgwFoAUTBNLh7DcrS1WmdplTBSYZHwiFKIwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAqeCnE+LVxgpwgtNjtWU7
5cKV+H1zpxJnossP5yxRJqwCIQD0Mt0C66QSXX9IkUYo1/Qrn4sw783zYGeA3kEC
1547DA==
-----END CERTIFICATE-----
`;

/** Its hash, as kubeadm pins it. */
export const SIMULATED_AUTHORITY_HASH = `sha256:${createHash("sha256")
  .update(new X509Certificate(SIMULATED_AUTHORITY).publicKey.export({ type: "spki", format: "der" }))
  .digest("hex")}`;
