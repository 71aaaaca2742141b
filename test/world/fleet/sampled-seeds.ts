/** The storms of the gate. tools/choose-storms.ts chose them: each state that must be reached, by three storms of a file. */
export const SAMPLED_SEEDS: readonly number[] = [
  1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 1015, 1016, 1017, 1018,
  1019, 1020, 1021, 1022, 1023, 1024, 1025, 1027, 1041, 1052, 1054, 1070,
];
