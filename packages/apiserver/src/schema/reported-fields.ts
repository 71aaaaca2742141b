/**
 * How many unknown or duplicate fields of a body are reported: kube-apiserver's own limit. Without it, a body of a megabyte
 * would be answered with a hundred thousand paths.
 */
export const REPORTED_FIELDS_LIMIT = 100;
