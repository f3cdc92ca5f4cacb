import { createPreference, putLast } from '../preferences.ts'
import { createJsonApi, type Field, type JsonApi } from './json-api.ts'
import type { FoldChoice } from './json-outline.ts'
import { parsePath } from './json-path.ts'

export interface Request {
  id: number
  method: keyof JsonApi
  args: readonly unknown[]
}

export type Answer = { id: number; value: unknown } | { id: number; problem: string }

/** A document and whoever reads it: the page itself, or a worker for what would hold the page up. */
export interface JsonHost {
  bytes: number
  fields: readonly Field[]
  call<Method extends keyof JsonApi>(
    method: Method,
    ...args: Parameters<JsonApi[Method]>
  ): Promise<ReturnType<JsonApi[Method]>>
  /** Present when the page itself reads, so that rows are there without waiting. */
  api?: JsonApi
  close(): void
}

/** Above this many bytes a worker reads. */
export const WORKER_FROM_BYTES = 1_000_000

/** Opens a JSON document; a large one is handed over to a worker, not copied. */
export async function openJson(buffer: ArrayBuffer): Promise<JsonHost> {
  return buffer.byteLength > WORKER_FROM_BYTES ? openInWorker(buffer) : openHere(buffer)
}

function openHere(buffer: ArrayBuffer): JsonHost {
  const api = createJsonApi()
  const fields = api.load(buffer)
  return {
    bytes: buffer.byteLength,
    fields,
    api,
    async call(method, ...args) {
      const run = api[method] as (...args: readonly unknown[]) => never
      return run(...args)
    },
    close() {},
  }
}

async function openInWorker(buffer: ArrayBuffer): Promise<JsonHost> {
  const bytes = buffer.byteLength
  const worker = new Worker(new URL('./json-worker.ts', import.meta.url), { type: 'module', name: 'json' })
  const waiting = new Map<number, PromiseWithResolvers<never>>()
  let lastId = 0
  worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => {
    const waiter = waiting.get(data.id)
    waiting.delete(data.id)
    if ('problem' in data) waiter?.reject(new Error(data.problem))
    else waiter?.resolve(data.value as never)
  })
  worker.addEventListener('error', (event) => {
    for (const waiter of waiting.values()) waiter.reject(new Error(event.message || 'The JSON worker failed.'))
    waiting.clear()
  })

  const send = (method: keyof JsonApi, args: readonly unknown[], transfer: Transferable[] = []) => {
    const id = ++lastId
    const waiter = promiseWithResolvers<never>()
    waiting.set(id, waiter)
    worker.postMessage({ id, method, args } satisfies Request, transfer)
    return waiter.promise
  }
  const fields: readonly Field[] = await send('load', [buffer], [buffer])
  return { bytes, fields, call: (method, ...args) => send(method, args), close: () => worker.terminate() }
}

interface PromiseWithResolvers<Value> {
  promise: Promise<Value>
  resolve: (value: Value) => void
  reject: (cause: unknown) => void
}

function promiseWithResolvers<Value>(): PromiseWithResolvers<Value> {
  let resolve!: (value: Value) => void
  let reject!: (cause: unknown) => void
  const promise = new Promise<Value>((onValue, onFailure) => {
    resolve = onValue
    reject = onFailure
  })
  return { promise, resolve, reject }
}

/** By place, then by path: whether the value was left open. What was changed last stands last. */
type Folds = Readonly<Record<string, Readonly<Record<string, boolean>>>>

/** Older ones are forgotten. */
const MOST_PLACES = 50
const MOST_PATHS = 100

const isFolds = (value: unknown): value is Folds => isRecord(value) && Object.values(value).every(isRecord)
const folds = createPreference<Folds>('json-folds', {}, isFolds)

/**
 * What somebody left open and closed, parents first.
 *
 * @param place  names documents that look alike, such as the inputs and outputs of one project's runs
 */
export function readFolds(place: string): FoldChoice[] {
  const choices = Object.entries(folds.read()[place] ?? {}).flatMap(([text, open]) => {
    const path = parsePath(text)
    return path ? [{ path, open }] : []
  })
  return choices.sort((one, other) => one.path.length - other.path.length)
}

/** Remembers that the value at a path was left open, or closed. */
export function rememberFold(place: string, path: string, open: boolean): void {
  const all = folds.read()
  folds.write(putLast(all, place, putLast(all[place] ?? {}, path, open, MOST_PATHS), MOST_PLACES))
}

function isRecord(value: unknown): value is Record<string, never> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
