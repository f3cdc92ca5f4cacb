import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { SignalPipe } from './signal-pipe.ts'

export interface WatchdogOptions {
  /** Milliseconds without a turn of the event loop after which the process is ended; 0 never ends it. */
  readonly stuckAfterMs: number
  /** Port on which `/live` is answered; undefined answers nowhere. */
  readonly livePort: number | undefined
  readonly host: string
  readonly signalPipe: SignalPipe | undefined
  readonly log: Logger
}

/** What the thread gets to know. */
export interface WatchdogData extends Omit<WatchdogOptions, 'log'> {
  /** Counts turns of the event loop: one 32-bit integer. */
  readonly beats: SharedArrayBuffer
}

const BEAT_MS = 250

/**
 * Watches the event loop from a thread of its own: answers `/live`, and ends the process with SIGKILL when the loop is
 * stuck for too long, or when it is stuck while SIGTERM or SIGINT waits. What was acknowledged is durable either way.
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

/** The thread is a file of its own beside this one, in the sources and in the build. */
function threadFile(): URL {
  const isSource = import.meta.url.endsWith('.ts')
  return new URL(isSource ? './watchdog-thread.ts' : './watchdog-thread.js', builtRoot(import.meta.url))
}

/** The build puts shared code into `chunks/`, entries beside it. */
const builtRoot = (url: string) => url.replace(/\/chunks\/[^/]*$/, '/index.js')

const SMALL = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 }
