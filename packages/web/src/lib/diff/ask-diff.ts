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
  return new Promise<Diff>((resolve, reject) => {
    const end = () => worker.terminate()
    signal?.addEventListener('abort', () => {
      end()
      reject(signal.reason)
    })
    worker.onmessage = ({ data }: MessageEvent<DiffAnswer>) => {
      end()
      if ('problem' in data) reject(new Error(data.problem))
      else resolve(data.diff)
    }
    worker.onerror = (event) => {
      end()
      reject(new Error(event.message || 'The comparison failed.'))
    }
    worker.postMessage(request)
  })
}
