import { readdirSync, readlinkSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'

export interface WatchdogOptions {
  /** Milliseconds without a turn of the event loop after which the process is ended; 0 never ends it. */
  readonly stuckAfterMs: number
  /** Port on which `/live` is answered; undefined answers nowhere. */
  readonly livePort: number | undefined
  readonly host: string
  readonly log: Logger
}

/** What the thread gets to know. */
export interface WatchdogData extends Pick<WatchdogOptions, 'stuckAfterMs' | 'livePort' | 'host'> {
  /** Counts turns of the event loop: one 32-bit integer. */
  readonly beats: SharedArrayBuffer
  /** Both ends of the pipe in which signals wait for the event loop; undefined where the system does not show it. */
  readonly signalPipe: SignalPipe | undefined
}

export interface SignalPipe {
  readonly read: string
  readonly write: string
}

const BEAT_MS = 250

/**
 * Watches the event loop from a thread of its own: answers `/live`, and ends the process with SIGKILL when the loop is
 * stuck for too long, or when it is stuck while SIGTERM or SIGINT waits. What was acknowledged is durable either way.
 *
 * @param listenForSignals  adds the first listeners of signals, so that the pipe that Node makes for them can be found
 * @see docs/decisions/0049-stalls.md
 */
export function watchLoop({ log, ...options }: WatchdogOptions, listenForSignals: () => void): void {
  const before = new Set(pipes().map(({ fd }) => fd))
  listenForSignals()
  const made = pipes().filter(({ fd }) => !before.has(fd))
  const isPair = made.length === 2 && made[0]!.target === made[1]!.target
  const signalPipe = isPair ? { read: pathOf(made[0]!.fd), write: pathOf(made[1]!.fd) } : undefined

  if (options.stuckAfterMs === 0 && options.livePort === undefined) return
  const beats = new SharedArrayBuffer(4)
  const count = new Int32Array(beats)
  setInterval(() => Atomics.add(count, 0, 1), BEAT_MS).unref()
  const workerData: WatchdogData = { ...options, beats, signalPipe }
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

const pathOf = (fd: string) => `/proc/self/fd/${fd}`

/** Open pipes of this process, lowest descriptor first; none where there is no /proc. */
function pipes(): { readonly fd: string; readonly target: string }[] {
  try {
    return readdirSync('/proc/self/fd')
      .flatMap((fd) => {
        const target = targetOf(fd)
        return target?.startsWith('pipe:') ? [{ fd, target }] : []
      })
      .sort((a, b) => Number(a.fd) - Number(b.fd))
  } catch {
    return []
  }
}

function targetOf(fd: string): string | undefined {
  try {
    return readlinkSync(pathOf(fd))
  } catch {
    return undefined // closed since the folder was listed
  }
}
