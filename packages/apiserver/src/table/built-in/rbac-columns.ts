import { AGE, at, type Column, column, CREATED_AT, list, NAME, text, wideColumn } from "../column.ts";

/** The columns of Role and ClusterRole, and of every kind without its own. */
export const plainColumns: readonly Column[] = [NAME, CREATED_AT];

/** The columns of RoleBinding and ClusterRoleBinding. */
export const bindingColumns: readonly Column[] = [
  NAME,
  column(
    "Role",
    "The role that is granted.",
    ({ roleRef }) => `${text(at(roleRef, "kind"))}/${text(at(roleRef, "name"))}`,
  ),
  AGE,
  wideColumn("Users", "The users it is granted to.", ({ subjects }) => namesOf(subjects, "User")),
  wideColumn("Groups", "The groups it is granted to.", ({ subjects }) => namesOf(subjects, "Group")),
  wideColumn("ServiceAccounts", "The service accounts it is granted to.", ({ subjects }) =>
    namesOf(subjects, "ServiceAccount"),
  ),
];

function namesOf(subjects: unknown, kind: string): string {
  return list(subjects)
    .filter((subject) => at(subject, "kind") === kind)
    .map((subject) => {
      const name = text(at(subject, "name"));
      return kind === "ServiceAccount" ? `${text(at(subject, "namespace"))}/${name}` : name;
    })
    .join(", ");
}
