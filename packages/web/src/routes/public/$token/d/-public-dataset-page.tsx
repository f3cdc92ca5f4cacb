/** A shared dataset with its examples and experiments, readable without an account. */
export function PublicDatasetPage(_: { token: string }) {
  return null
}
