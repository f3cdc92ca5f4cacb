export function preparePostgres(): {
  readonly env: { readonly TOUCHSTONE_TEST_POSTGRES_URL?: string }
  /** Of the first process; undefined when none was started. */
  readonly pid?: number
  stop(): void
}
