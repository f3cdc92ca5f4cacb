import { DrizzleQueryError } from 'drizzle-orm/errors'

/** Codes of PostgreSQL (disk_full) and of the file system. */
const FULL_DISK: ReadonlySet<unknown> = new Set(['53100', 'ENOSPC', 'EDQUOT'])

/** Codes of PostgreSQL (connections that break, a server that starts or stops, too many connections) and of Node. */
const LOST_CONNECTION: ReadonlySet<unknown> = new Set([
  ...['08000', '08001', '08003', '08004', '08006', '53300', '57P01', '57P02', '57P03'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  'UND_ERR_SOCKET',
])

/** The clients have no code for a connection that ends while they wait for it or for a response. */
const LOST_CLIENT =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|socket hang up|timeout (error|expired$|exceeded when trying to connect))/i

/** Other codes of the file system: no more open files, a device that fails, a file system without writes. */
const FAILING_FILES: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'EIO', 'EROFS', 'ENOMEM'])

/**
 * Classes of PostgreSQL's codes that have nothing to do with the values of a statement: connection, rollback of a
 * transaction, resources, state of an object, intervention, system, internal.
 */
const STATE_OF_POSTGRES = /^(08|40|53|55|57|58|XX)[0-9A-Z]{3}$/

/** The connection to a store that is a server was lost, or could not be made. */
export class LostStoreError extends Error {
  override readonly name = 'LostStoreError'

  constructor(
    /** E.g. `PostgreSQL`. */
    readonly store: string,
    cause: unknown,
  ) {
    super(`${store} is not answering: ${readFirstLine(cause)}`, { cause })
  }
}

/** Names the store when `work` loses its connection. */
export async function namingStore<Result>(store: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw isLostConnection(error) && !(error instanceof LostStoreError) ? new LostStoreError(store, error) : error
  }
}

/** The store whose connection was lost, from an error for which `isLostConnection` holds. */
export function findLostStore(thrown: unknown): string | undefined {
  for (const error of listCauses(thrown)) {
    if (error instanceof LostStoreError) return error.store
    if (error instanceof DrizzleQueryError) return 'PostgreSQL'
  }
  return undefined
}

/** Whether an error or one of its causes reports a full disk. */
export function isFullDisk(thrown: unknown): boolean {
  return listCauses(thrown).some(({ code }) => FULL_DISK.has(code))
}

/** PostgreSQL has one code for all errors of files, and the embedded one throws them with their text. */
const READ_ONLY_DISK = /\bread-only file system\b/i

/** PostgreSQL's code of a write in a session that is read-only, as that of the embedded engine on a read-only disk. */
const READ_ONLY_SESSION = '25006'

/** Whether an error or one of its causes reports that the relational store takes no writes. */
export function isReadOnlyStore(thrown: unknown): boolean {
  return listCauses(thrown).some(({ code }) => code === READ_ONLY_SESSION)
}

/** Whether an error or one of its causes reports that the file system takes no writes. */
export function isReadOnlyDisk(thrown: unknown): boolean {
  return listCauses(thrown).some(({ code, message }) => code === 'EROFS' || READ_ONLY_DISK.test(message))
}

/** Whether an error or one of its causes reports a lost connection; then it is not known what the store did. */
export function isLostConnection(thrown: unknown): boolean {
  return listCauses(thrown).some(({ code, message }) => LOST_CONNECTION.has(code) || LOST_CLIENT.test(message))
}

/** Whether an error or one of its causes reports a failure of PostgreSQL or of the file system that no value causes. */
export function isFailureOfSystem(thrown: unknown): boolean {
  if (isFullDisk(thrown) || isLostConnection(thrown)) return true
  return listCauses(thrown).some(({ code }) => FAILING_FILES.has(code) || STATE_OF_POSTGRES.test(String(code)))
}

function listCauses(thrown: unknown): (Error & { readonly code?: unknown })[] {
  const causes: Error[] = []
  for (let error = thrown; error instanceof Error; error = error.cause) causes.push(error)
  return causes
}

function readFirstLine(error: unknown): string {
  // Of several addresses of one host, each has its own error, and all of them have no message.
  const first = error instanceof AggregateError ? error.errors[0] : error
  const [line = ''] = (first instanceof Error ? first.message : String(first)).split('\n')
  return line.slice(0, 300)
}
