/** A store that cannot be read as it was written; the message names what is damaged and the way back. */
export class DamagedStoreError extends Error {
  override readonly name = 'DamagedStoreError'
}

/** PostgreSQL: data_corrupted, index_corrupted, and files that are missing or cannot be read. */
const DAMAGE_CODES = new Set(['XX001', 'XX002', '58P01', '58030'])

/** How engines word damage where they give no code: PostgreSQL's panics end its WebAssembly program with `Aborted()`. */
const DAMAGE_TEXT =
  /invalid page|Aborted\(|unreachable|could not (read|open|access) (file|block|the)|could not locate a valid checkpoint|invalid (magic|checkpoint|primary)|unexpected (zero page|data beyond EOF)|corrupt|CHECKSUM_DOESNT_MATCH|CANNOT_READ_ALL_DATA|CANNOT_PARSE|ATTEMPT_TO_READ_AFTER_EOF|UNKNOWN_FORMAT_VERSION|BAD_DATA_PART_NAME|NO_FILE_IN_DATA_PART|TOO_MANY_UNEXPECTED_DATA_PARTS|UNEXPECTED_FILE_IN_DATA_PART/i

/**
 * Returns what an engine said about damaged data, from an error or one of its causes, or undefined where the error is of
 * another kind.
 */
export function findDamage(error: unknown): string | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth++) {
    const { code } = cause as { code?: unknown }
    if ((typeof code === 'string' && DAMAGE_CODES.has(code)) || DAMAGE_TEXT.test(cause.message)) return cause.message
  }
  return undefined
}

/**
 * Says that a store is damaged, and how to get back to work.
 *
 * @param store   e.g. `relational database`
 * @param place   its folder
 * @param detail  what the engine said
 */
export function damagedStoreError(store: string, place: string, detail: string, cause?: unknown): DamagedStoreError {
  const said = detail.split('\n', 1)[0]!.slice(0, 300).replace(/\.$/, '')
  return new DamagedStoreError(
    `The ${store} in ${place} is damaged: ${said}. ` +
      'Keep a copy of the data directory, then restore it from a backup: `touchstone backup restore`, or the copy that ' +
      'you made of the whole data directory. How, and what to do without a backup: docs/guides/damaged-data.md.',
    { cause },
  )
}
