// Ways out that several errors name.

/** For an adapter that cannot be loaded. */
export const MERGE =
  "Merge the adapter into its base in Python (`merge_and_unload()`, then `save_pretrained()`) and load that folder.";
