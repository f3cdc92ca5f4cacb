import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'

/** The operations of Emscripten on the files of a mount. */
export interface StreamOperations {
  write(stream: unknown, buffer: unknown, offset: number, length: number, position?: number): number
}

/** First bytes of messages of PostgreSQL's protocol. */
const QUERY = 0x51
const PARSE = 0x50
const NOTICE = 0x4e

/**
 * Keeps the embedded engine alive when its disk becomes read-only. A PostgreSQL server ends itself when its log cannot be
 * written. The embedded one returns from the failed commit in the middle of it, and its next message never ends, nor does
 * the event loop go on. So the disk is asked by a byte before each statement. Once it refuses, the open transaction is
 * rolled back, the session becomes read-only, and the engine writes nothing any more: another one will recover its files.
 *
 * @param onClosed  called once, at the first refusal
 */
export function fenceReadOnlyDisk(client: PGlite, { directory, operations, onClosed }: FenceOptions): void {
  const probe = openSync(join(directory, PROBE), 'w', 0o600)
  let refusal: unknown

  const close = (error: unknown) => {
    refusal = error
    onClosed()
  }
  const write = operations.write.bind(operations)
  operations.write = (...given) => {
    if (refusal !== undefined) throw refusal
    return write(...given)
  }

  const step = client.execProtocolRaw.bind(client)
  const run = (statement: string) => step(toMessage(statement), { syncToFs: false })
  /** @throws Error EROFS when it ended a transaction */
  const makeReadOnly = async () => {
    const [first] = await run('rollback')
    await run('set default_transaction_read_only = on')
    const hadTransaction = first !== NOTICE
    if (hadTransaction) throw readOnlyError()
  }
  client.execProtocolRaw = async (...given) => {
    const [message] = given
    const isFirstOfStatement = message[0] === QUERY || message[0] === PARSE
    if (refusal === undefined && isFirstOfStatement && refusesWrite(probe)) {
      close(readOnlyError())
      await makeReadOnly()
    }
    return step(...given)
  }
  const closeClient = client.close.bind(client)
  client.close = async () => {
    closeSync(probe)
    // An engine that cannot write its last checkpoint would wait for it forever.
    if (refusal === undefined) await closeClient()
  }
}

export interface FenceOptions {
  readonly directory: string
  readonly operations: StreamOperations
  readonly onClosed: () => void
}

/** A file of one byte; PostgreSQL ignores it. */
const PROBE = 'write-probe'

function refusesWrite(file: number): boolean {
  try {
    writeSync(file, 'x', 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS'
  }
}

/** As Node has it, with the number that the runtime of the engine expects of a failed operation. */
const readOnlyError = () =>
  Object.assign(new Error('EROFS: read-only file system, the database takes no writes'), { code: 'EROFS', errno: 69 })

function toMessage(statement: string): Uint8Array {
  const text = Buffer.from(`${statement}\0`)
  const length = Buffer.alloc(4)
  length.writeInt32BE(4 + text.length)
  return Buffer.concat([Buffer.from([QUERY]), length, text])
}

/** Whether files can be written in a folder. */
export function isWritable(directory: string): boolean {
  const path = join(directory, `${PROBE}-2`)
  try {
    writeFileSync(path, 'x', { flush: true })
    rmSync(path)
    return true
  } catch {
    return false
  }
}
