import { isRecord } from '@touchstone/formats/guards'
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

/** A document and its reader: the main thread, or a worker for documents that would block the page. */
export interface JsonHost {
  bytes: number
  fields: readonly Field[]
  call<Method extends keyof JsonApi>(
    method: Method,
    ...args: Parameters<JsonApi[Method]>
  ): Promise<ReturnType<JsonApi[Method]>>
  /** Present when the main thread reads the document, so that rows are available synchronously. */
  api?: JsonApi
  close(): void
}

/** Documents with more bytes are read by a worker. */
export const WORKER_FROM_BYTES = 1_000_000

/** Opens a JSON document. A large one is transferred to a worker, not copied. */
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

/** By document kind, then by path: whether the value was left open. The latest change is last. */
type Folds = Readonly<Record<string, Readonly<Record<string, boolean>>>>

/** Older entries are removed. */
const MOST_PLACES = 50
const MOST_PATHS = 100

const isFolds = (value: unknown): value is Folds => isRecord(value) && Object.values(value).every(isRecord)
const folds = createPreference<Folds>('json-folds', {}, isFolds)

/**
 * Values that the user opened or closed, parents first.
 *
 * @param place  kind of document, such as the inputs and outputs of one project's runs
 */
export function readFolds(place: string): FoldChoice[] {
  const choices = Object.entries(folds.read()[place] ?? {}).flatMap(([text, open]) => {
    const path = parsePath(text)
    return path ? [{ path, open }] : []
  })
  return choices.sort((one, other) => one.path.length - other.path.length)
}

/** Stores whether the value at a path was opened or closed. */
export function rememberFold(place: string, path: string, open: boolean): void {
  const all = folds.read()
  folds.write(putLast(all, place, putLast(all[place] ?? {}, path, open, MOST_PATHS), MOST_PLACES))
}
