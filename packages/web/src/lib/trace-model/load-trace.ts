import type { TraceSpine } from '@touchstone/contract'
import { buildTrace, listBuffers } from './build-trace.ts'
import type { Trace } from './trace.ts'

/** Above this many bytes, some 2,000 runs, a worker reads and builds, so that the page never stands still. */
export const WORKER_FROM_BYTES = 1_000_000

export interface LoadRequest {
  bytes: ArrayBuffer
  /** Version that is on the screen; an equal one is not built again. */
  knownVersion: string | undefined
}

export type LoadAnswer = { trace: Trace | undefined } | { problem: string }

/**
 * Builds a trace from the bytes of its spine.
 *
 * @returns undefined when the spine still has the version that is known
 */
export async function loadTrace(spine: ArrayBuffer, known?: string): Promise<Trace | undefined> {
  return spine.byteLength > WORKER_FROM_BYTES
    ? loadInWorker({ bytes: spine, knownVersion: known })
    : parseTrace({ bytes: spine, knownVersion: known })
}

/** The same, at once and on the calling thread. */
export function parseTrace({ bytes: spine, knownVersion: known }: LoadRequest): Trace | undefined {
  const parsed = JSON.parse(new TextDecoder().decode(spine)) as TraceSpine
  return parsed.version === known ? undefined : buildTrace(parsed)
}

export function listTransfers(trace: Trace | undefined): ArrayBuffer[] {
  return trace ? listBuffers(trace) : []
}

let worker: Worker | undefined
let queue: Promise<unknown> = Promise.resolve()

function loadInWorker(request: LoadRequest): Promise<Trace | undefined> {
  const answer = queue.then(() => ask(request))
  queue = answer.catch(() => undefined)
  return answer
}

function ask(request: LoadRequest): Promise<Trace | undefined> {
  worker ??= new Worker(new URL('./trace-worker.ts', import.meta.url), { type: 'module', name: 'trace' })
  const current = worker
  return new Promise((resolve, reject) => {
    const fail = (message: string) => {
      current.terminate()
      worker = undefined
      reject(new Error(message))
    }
    current.onmessage = ({ data }: MessageEvent<LoadAnswer>) =>
      'problem' in data ? fail(data.problem) : resolve(data.trace)
    current.onerror = (event) => fail(event.message || 'The trace worker failed.')
    current.postMessage(request, [request.bytes])
  })
}
