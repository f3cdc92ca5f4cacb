import { ApiError } from '@touchstone/contract'
import {
  isFailureOfSystem,
  isFullDisk,
  isLostConnection,
  isReadOnlyDisk,
  LostStoreError,
} from '../unavailable-store.ts'

/**
 * What made a write fail. `row`: the engine cannot read a row. `resources`: memory, disk, files, connection or the state
 * of a table; it ends by itself or by an operator, and no row is to blame. `unknown`: either.
 */
export type FailureKind = 'row' | 'resources' | 'unknown'

/** A write to the column store failed, or a read that a write needs. */
export class StoreFailure extends ApiError {
  constructor(
    readonly kind: FailureKind,
    message: string,
    options: { readonly cause?: unknown; readonly retryAfterSeconds?: number } = {},
  ) {
    super('UNAVAILABLE', message, options)
  }

  /** Whether fewer rows at once may succeed. */
  get mayFitInParts(): boolean {
    return this.kind !== 'resources' || TOO_MUCH_AT_ONCE.has(readEngineCode(this.cause) ?? 0)
  }
}

/** Exceptions about the rows of an insert, by the engine's codes. */
const OF_ROWS: ReadonlyMap<number, string> = new Map([
  [6, 'CANNOT_PARSE_TEXT'],
  [25, 'CANNOT_PARSE_ESCAPE_SEQUENCE'],
  [26, 'CANNOT_PARSE_QUOTED_STRING'],
  [27, 'CANNOT_PARSE_INPUT_ASSERTION_FAILED'],
  [38, 'CANNOT_PARSE_DATE'],
  [41, 'CANNOT_PARSE_DATETIME'],
  [53, 'TYPE_MISMATCH'],
  [69, 'ARGUMENT_OUT_OF_BOUND'],
  [72, 'CANNOT_PARSE_NUMBER'],
  [117, 'INCORRECT_DATA'],
  [130, 'CANNOT_READ_ARRAY_FROM_TEXT'],
  [131, 'TOO_LARGE_STRING_SIZE'],
  [321, 'VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE'],
  [349, 'CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN'],
  [376, 'CANNOT_PARSE_UUID'],
  [407, 'DECIMAL_OVERFLOW'],
  [467, 'CANNOT_PARSE_BOOL'],
  [563, 'CANNOT_READ_MAP_FROM_TEXT'],
])

const MEMORY_LIMIT_EXCEEDED = 241

/** Exceptions about what the engine has or can reach, and about files that it cannot read. */
const OF_RESOURCES: ReadonlyMap<number, string> = new Map([
  [3, 'UNEXPECTED_END_OF_FILE'],
  [23, 'CANNOT_READ_FROM_ISTREAM'],
  [24, 'CANNOT_WRITE_TO_OSTREAM'],
  [32, 'ATTEMPT_TO_READ_AFTER_EOF'],
  [33, 'CANNOT_READ_ALL_DATA'],
  [40, 'CHECKSUM_DOESNT_MATCH'],
  [60, 'UNKNOWN_TABLE'],
  [74, 'CANNOT_READ_FROM_FILE_DESCRIPTOR'],
  [75, 'CANNOT_WRITE_TO_FILE_DESCRIPTOR'],
  [76, 'CANNOT_OPEN_FILE'],
  [77, 'CANNOT_CLOSE_FILE'],
  [81, 'UNKNOWN_DATABASE'],
  [87, 'CANNOT_SEEK_THROUGH_FILE'],
  [88, 'CANNOT_TRUNCATE_FILE'],
  [95, 'CANNOT_READ_FROM_SOCKET'],
  [96, 'CANNOT_WRITE_TO_SOCKET'],
  [107, 'FILE_DOESNT_EXIST'],
  [159, 'TIMEOUT_EXCEEDED'],
  [160, 'TOO_SLOW'],
  [164, 'READONLY'],
  [173, 'CANNOT_ALLOCATE_MEMORY'],
  [192, 'UNKNOWN_USER'],
  [193, 'WRONG_PASSWORD'],
  [198, 'DNS_ERROR'],
  [201, 'QUOTA_EXCEEDED'],
  [202, 'TOO_MANY_SIMULTANEOUS_QUERIES'],
  [203, 'NO_FREE_CONNECTION'],
  [209, 'SOCKET_TIMEOUT'],
  [210, 'NETWORK_ERROR'],
  [225, 'NO_ZOOKEEPER'],
  [226, 'NO_FILE_IN_DATA_PART'],
  [228, 'BAD_SIZE_OF_FILE_IN_DATA_PART'],
  [231, 'TOO_MANY_UNEXPECTED_DATA_PARTS'],
  [236, 'ABORTED'],
  [MEMORY_LIMIT_EXCEEDED, 'MEMORY_LIMIT_EXCEEDED'],
  [242, 'TABLE_IS_READ_ONLY'],
  [243, 'NOT_ENOUGH_SPACE'],
  [244, 'UNEXPECTED_ZOOKEEPER_ERROR'],
  [246, 'CORRUPTED_DATA'],
  [252, 'TOO_MANY_PARTS'],
  [254, 'NO_ACTIVE_REPLICAS'],
  [265, 'NO_AVAILABLE_REPLICA'],
  [271, 'CANNOT_DECOMPRESS'],
  [274, 'AIO_READ_ERROR'],
  [275, 'AIO_WRITE_ERROR'],
  [279, 'ALL_CONNECTION_TRIES_FAILED'],
  [285, 'TOO_FEW_LIVE_REPLICAS'],
  [286, 'UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE'],
  [289, 'REPLICA_IS_NOT_IN_QUORUM'],
  [294, 'CANNOT_WRITE_TO_FILE'],
  [319, 'UNKNOWN_STATUS_OF_INSERT'],
  [364, 'RECEIVED_ERROR_TOO_MANY_REQUESTS'],
  [369, 'ALL_REPLICAS_ARE_STALE'],
  [373, 'SESSION_IS_LOCKED'],
  [384, 'PART_IS_TEMPORARILY_LOCKED'],
  [394, 'QUERY_WAS_CANCELLED'],
  [411, 'PTHREAD_ERROR'],
  [415, 'ALL_REPLICAS_LOST'],
  [425, 'SYSTEM_ERROR'],
  [439, 'CANNOT_SCHEDULE_TASK'],
  [473, 'DEADLOCK_AVOIDED'],
  [497, 'ACCESS_DENIED'],
  [499, 'S3_ERROR'],
  [516, 'AUTHENTICATION_FAILED'],
  [574, 'DISTRIBUTED_TOO_MANY_PENDING_BYTES'],
  [586, 'CANNOT_CREATE_FILE'],
  [641, 'CANNOT_APPEND_TO_FILE'],
  [692, 'TOO_MANY_MUTATIONS'],
  [735, 'QUERY_WAS_CANCELLED_BY_CLIENT'],
  [740, 'POTENTIALLY_BROKEN_DATA_PART'],
  [749, 'TCP_CONNECTION_LIMIT_REACHED'],
  [762, 'HTTP_CONNECTION_LIMIT_REACHED'],
  [774, 'TABLE_IS_PERMANENTLY_READ_ONLY'],
  [777, 'MEMORY_RESERVATION_KILLED'],
  [778, 'MEMORY_RESERVATION_FAILED'],
  [999, 'KEEPER_EXCEPTION'],
  [1000, 'POCO_EXCEPTION'],
  // Errors of the standard library, which are those of files.
  [1001, 'STD_EXCEPTION'],
])

const OF_FULL_DISKS: ReadonlySet<number | undefined> = new Set([24, 75, 243, 275, 294, 641])
const TOO_MUCH_AT_ONCE: ReadonlySet<number> = new Set([MEMORY_LIMIT_EXCEEDED, 159, 160, 173, 777, 778])

/** Names of the classified codes, for a test that compares them with the engine. */
export const CLASSIFIED_CODES: ReadonlyMap<number, string> = new Map([...OF_ROWS, ...OF_RESOURCES])

/** A failure of an insert; other failures of a write do not blame the rows. */
export function toInsertFailure(cause: unknown): StoreFailure {
  if (cause instanceof StoreFailure) return cause
  const isOfRows = OF_ROWS.has(readEngineCode(cause) ?? 0)
  return isOfRows ? new StoreFailure('row', readFirstLine(cause), { cause }) : toStoreFailure(cause)
}

/** A failure of a read or a command. */
export function toStoreFailure(cause: unknown): StoreFailure {
  if (cause instanceof StoreFailure) return cause
  const code = readEngineCode(cause)
  if (OF_FULL_DISKS.has(code) || isFullDisk(cause)) {
    const message = 'The column store cannot write: its disk is full. Free space and send it again.'
    return new StoreFailure('resources', message, { cause, retryAfterSeconds: 10 })
  }
  if (isReadOnlyDisk(cause)) {
    const message = 'The column store cannot write: its disk is read-only. Mount it for writing and send it again.'
    return new StoreFailure('resources', message, { cause, retryAfterSeconds: 10 })
  }
  if (code === MEMORY_LIMIT_EXCEEDED) {
    return new StoreFailure('resources', 'The column store has no memory left for this; send it again later.', {
      cause,
    })
  }
  const isOfResources = code === undefined ? isFailureOfSystem(cause) : OF_RESOURCES.has(code)
  const message = describe(cause)
  return new StoreFailure(isOfResources ? 'resources' : 'unknown', message, { cause })
}

function describe(cause: unknown): string {
  if (cause instanceof LostStoreError) return cause.message
  // Only a server has a connection.
  if (isLostConnection(cause)) return new LostStoreError('ClickHouse', cause).message
  return `The column store is not answering: ${readFirstLine(cause)}`
}

/**
 * The code of the engine's exception. Statements have it as `code`: the embedded engine throws a copy of the client's
 * error class, so `instanceof` does not match. Inserts of the embedded engine only print it.
 */
export function readEngineCode(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error)) return undefined
  const { code } = thrown as { readonly code?: unknown }
  const text = /^\d{1,4}$/.test(String(code)) ? String(code) : /^Code: (\d+)\./.exec(thrown.message)?.[1]
  return text === undefined ? undefined : Number(text)
}

function readFirstLine(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return line.slice(0, 300)
}
