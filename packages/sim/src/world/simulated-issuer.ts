/**
 * The certificates of control planes in a simulated world: always the same ones, so that runs are reproducible and cost no
 * time. They protect nothing: no connection in a world is encrypted.
 */
const AUTHORITY = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBkjCCATegAwIBAgIUbCcPsxmfdvNJ+VqiycXVUq8YhjwwCgYIKoZIzj0EAwIw
FTETMBEGA1UEAwwKa3ViZXJuZXRlczAgFw0yNjExMTgwMDUxMDdaGA8yMTI2MTAy
NTAwNTEwN1owFTETMBEGA1UEAwwKa3ViZXJuZXRlczBZMBMGByqGSM49AgEGCCqG
SM49AwEHA0IABH4ju/m5Wo4NtMY55ymORXtJ+KLU/48QCJ20p04viB3L6iaptN/G
LTwlCoIPMMGU34BcXuD9N5RvLpuPPd216s+jYzBhMB0GA1UdDgQWBBQhy5YtCn9H
hIdmdpeU72zJMRVDhDAfBgNVHSMEGDAWgBQhy5YtCn9HhIdmdpeU72zJMRVDhDAP
BgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwICpDAKBggqhkjOPQQDAgNJADBG
AiEAmqkgIvx6rDVpbpa9e+cBHdHYEsIjBXk4NBkYb5q1WvoCIQCDqq6EoONv+N+Z
gq2+0mHEbIzKdoBW9KK6zPQdITX0ig==
-----END CERTIFICATE-----
`,
  key: `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEICDD17JVXw7uReUWZPqkyPdvuy4fUnP2WerdHWlh1krVoAoGCCqGSM49
AwEHoUQDQgAEfiO7+blajg20xjnnKY5Fe0n4otT/jxAInbSnTi+IHcvqJqm038Yt
PCUKgg8wwZTfgFxe4P03lG8um4893bXqzw==
-----END EC PRIVATE KEY-----
`,
};

const CLIENT = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBRTCB7AIUEryi2FN201Vk7BnMeSOIuXnXglcwCgYIKoZIzj0EAwIwFTETMBEG
A1UEAwwKa3ViZXJuZXRlczAgFw0yNjExMTgwMDUxMDdaGA8yMTI2MTAyNTAwNTEw
N1owNDEXMBUGA1UECgwOc3lzdGVtOm1hc3RlcnMxGTAXBgNVBAMMEGt1YmVybmV0
ZXMtYWRtaW4wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATw/lpCBlVcecJiqotP
P4F/cKcZtwNUuDhmTGAd6my4sFHcD5alaCGii++p9EfXXRBGNAb+lfUGANEhzwAq
gxl7MAoGCCqGSM49BAMCA0gAMEUCIQC4zyZA/bvrM94g7Gfd68+rz/+L5vlewcH6
iEVsp2UOiAIgRK8MNoRU/+TX6jmVLWhbTMQHuVvaBFMkIfpZR1SMFPc=
-----END CERTIFICATE-----
`,
  key: `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEINP7Mw7Z2amJ0FROHVzNp79DQ4qz0M3QXaTZIIDP4nWSoAoGCCqGSM49
AwEHoUQDQgAE8P5aQgZVXHnCYqqLTz+Bf3CnGbcDVLg4ZkxgHepsuLBR3A+WpWgh
oovvqfRH110QRjQG/pX1BgDRIc8AKoMZew==
-----END EC PRIVATE KEY-----
`,
};

const PUBLIC_KEY = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8P5aQgZVXHnCYqqLTz+Bf3CnGbcD
VLg4ZkxgHepsuLBR3A+WpWghoovvqfRH110QRjQG/pX1BgDRIc8AKoMZew==
-----END PUBLIC KEY-----
`;

/** Makes certificates without making any. */
export const SIMULATED_ISSUER = {
  authority: () => Promise.resolve(AUTHORITY),
  keyPair: () => Promise.resolve({ publicKey: PUBLIC_KEY, privateKey: CLIENT.key }),
  client: () => Promise.resolve(CLIENT),
};
