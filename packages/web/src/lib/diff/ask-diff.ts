import type { JsonLine } from './diff-json.ts'
import type { TextLine } from './diff-text.ts'
import type { Turn, TurnPair } from './diff-turns.ts'

/** Two things to compare: texts, stored JSON documents, or conversations. */
export type DiffRequest =
  | { kind: 'text'; a: string; b: string }
  | { kind: 'json'; a: string; b: string }
  | { kind: 'chat'; a: readonly Turn[]; b: readonly Turn[] }

export type Diff =
  | { kind: 'text'; lines: TextLine[] }
  | { kind: 'json'; lines: JsonLine[] }
  | { kind: 'chat'; turns: TurnPair[] }

export type DiffAnswer = { diff: Diff } | { problem: string }

/** Compares in a new worker. The inputs can have any length. */
export function askDiff(request: DiffRequest, signal?: AbortSignal): Promise<Diff> {
  const worker = new Worker(new URL('./diff-worker.ts', import.meta.url), { type: 'module', name: 'diff' })
  return askWorker(worker, request, signal).finally(() => worker.terminate())
}

function askWorker(worker: Worker, request: DiffRequest, signal: AbortSignal | undefined): Promise<Diff> {
  return new Promise<Diff>((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason))
    worker.onmessage = ({ data }: MessageEvent<DiffAnswer>) => {
      if ('problem' in data) reject(new Error(data.problem))
      else resolve(data.diff)
    }
    worker.onerror = (event) => reject(new Error(event.message || 'The comparison failed.'))
    worker.postMessage(request)
  })
}

/** The worker of small comparisons, started by the first and kept for the next ones. */
let shared: Worker | undefined
let queue: Promise<unknown> = Promise.resolve()

/**
 * Compares in a worker that all callers share, one after the other: for many small inputs, such as the cells of a table.
 * A comparison that is no longer wanted is skipped; when it is running, its worker is replaced.
 */
export function diffInTurn(request: DiffRequest, signal?: AbortSignal): Promise<Diff> {
  const run = () => {
    signal?.throwIfAborted()
    shared ??= new Worker(new URL('./diff-worker.ts', import.meta.url), { type: 'module', name: 'diff' })
    return askWorker(shared, request, signal).catch((cause: unknown) => {
      shared?.terminate()
      shared = undefined
      throw cause
    })
  }
  const answer = queue.then(run)
  queue = answer.catch(() => undefined)
  return answer
}
