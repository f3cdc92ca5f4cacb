import { closeSync, constants, openSync, readdirSync, readFileSync, readlinkSync, readSync, writeSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { appendTo } from '../append-to.ts'

export interface WatchdogOptions {
  /** Milliseconds without a turn of the event loop after which the process is ended; 0 never ends it. */
  readonly stuckAfterMs: number
  /** Port of `/live`; undefined for none. */
  readonly livePort: number | undefined
  readonly host: string
  readonly signalPipe: SignalPipe | undefined
  readonly log: Logger
}

/** Passed to the thread. */
export interface WatchdogData extends Omit<WatchdogOptions, 'log'> {
  /** Counts turns of the event loop: one 32-bit integer. */
  readonly beats: SharedArrayBuffer
}

const BEAT_MS = 250

/**
 * Watches the event loop from a separate thread: answers `/live`, and ends the process with SIGKILL when the loop is
 * stuck for too long, or while SIGTERM or SIGINT is pending. Acknowledged data is durable in every case.
 *
 * @see docs/decisions/0049-stalls.md
 */
export function watchLoop({ log, ...options }: WatchdogOptions): void {
  if (options.stuckAfterMs === 0 && options.livePort === undefined) return
  const beats = new SharedArrayBuffer(4)
  const count = new Int32Array(beats)
  setInterval(() => Atomics.add(count, 0, 1), BEAT_MS).unref()
  const workerData: WatchdogData = { ...options, beats }
  const worker = new Worker(threadFile(), { workerData, name: 'watchdog', resourceLimits: SMALL })
  worker.on('error', (error) => log.error({ err: error }, 'the watchdog ended; nothing watches the event loop now'))
  worker.unref()
}

/** The thread is a separate file beside this one, in the sources and in the build. */
function threadFile(): URL {
  const isSource = import.meta.url.endsWith('.ts')
  return new URL(isSource ? './watchdog-thread.ts' : './watchdog-thread.js', builtRoot(import.meta.url))
}

/** The build puts shared code into `chunks/`, entry points beside it. */
const builtRoot = (url: string) => url.replace(/\/chunks\/[^/]*$/, '/index.js')

const SMALL = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 }

/** The pipe with the signals that the event loop has not handled yet: paths of both ends. */
export interface SignalPipe {
  readonly read: string
  readonly write: string
}

/** libuv's message: the address of a handle, the signal, and four bytes of padding. */
const MESSAGE_BYTES = 16
/** Ignored by default, so that it affects no other handler. */
const PROBE = 'SIGURG'
const PROBE_NUMBER = 23

/**
 * Finds the pipe in which libuv keeps signals until the event loop turns: the pipe in which a harmless signal that this
 * process sends to itself appears. Call it before any other pipe is opened.
 *
 * @returns undefined without /proc, or when the signal does not appear
 */
export function findSignalPipe(): SignalPipe | undefined {
  if (process.platform !== 'linux') return undefined
  process.once(PROBE, () => {})
  process.kill(process.pid, PROBE)
  try {
    return listPipePairs().find((pipe) => readPendingSignals(pipe).includes(PROBE_NUMBER))
  } catch {
    return undefined
  }
}

/** Reads the pending signals of the pipe and writes them back, so that the loop handles them when it turns. */
export function readPendingSignals(pipe: SignalPipe): number[] {
  const found = Buffer.alloc(MESSAGE_BYTES * 64)
  const length = readPending(pipe.read, found)
  if (length === 0) return []
  const writer = openSync(pipe.write, constants.O_WRONLY | constants.O_NONBLOCK)
  writeSync(writer, found, 0, length)
  closeSync(writer)
  if (length % MESSAGE_BYTES !== 0) return []
  return Array.from({ length: length / MESSAGE_BYTES }, (_, at) => found.readInt32LE(at * MESSAGE_BYTES + 8))
}

function readPending(path: string, into: Buffer): number {
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return readSync(reader, into)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0
    throw error
  } finally {
    closeSync(reader)
  }
}

/** Pipes with both ends in this process and a non-blocking read end, as libuv makes them. */
function listPipePairs(): SignalPipe[] {
  const ends = new Map<string, { fd: string; flags: number }[]>()
  for (const fd of readdirSync('/proc/self/fd')) {
    const end = describeEnd(fd)
    if (end !== undefined) appendTo(ends, end.target, end)
  }
  return [...ends.values()].flatMap((pair) => {
    const read = pair.find(({ flags }) => (flags & ACCESS_MODE) === constants.O_RDONLY)
    const write = pair.find(({ flags }) => (flags & ACCESS_MODE) === constants.O_WRONLY)
    const isPair = pair.length === 2 && read !== undefined && write !== undefined
    return isPair && (read.flags & constants.O_NONBLOCK) !== 0
      ? [{ read: toPipePath(read.fd), write: toPipePath(write.fd) }]
      : []
  })
}

/** Bits of an open file's flags for its access mode. */
const ACCESS_MODE = 3

const toPipePath = (fd: string) => `/proc/self/fd/${fd}`

function describeEnd(fd: string): { fd: string; target: string; flags: number } | undefined {
  try {
    const target = readlinkSync(toPipePath(fd))
    if (!target.startsWith('pipe:')) return undefined
    const flags = /flags:\s*(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0'
    return { fd, target, flags: Number.parseInt(flags, 8) }
  } catch {
    return undefined // closed since the folder was listed
  }
}
