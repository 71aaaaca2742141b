/**
 * Flags of every bash that a test starts. Standard input is a socket there; where SHLVL is not set, bash takes that for a remote
 * login and would read its start-up files.
 */
export const BASH_FLAGS: readonly string[] = ["--noprofile", "--norc"];
