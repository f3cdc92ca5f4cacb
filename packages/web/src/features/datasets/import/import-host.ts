import type { ImportSession, Progress } from './import-session.ts'

/** The calls of a session that the page makes. */
export type ImportApi = Pick<
  ImportSession,
  | 'preview'
  | 'checkRows'
  | 'fixRow'
  | 'printBadRows'
  | 'startUpload'
  | 'nextPart'
  | 'confirmPart'
  | 'forgetStored'
  | 'refuse'
  | 'listBad'
>

export type ImportRequest = { file: File } | { id: number; method: keyof ImportApi; args: readonly unknown[] }
export type ImportAnswer = { progress: Progress } | { id: number; value: unknown } | { id: number; problem: string }

/** A file that a worker reads. */
export interface ImportHost {
  readonly file: File
  call<Method extends keyof ImportApi>(
    method: Method,
    ...args: Parameters<ImportApi[Method]>
  ): ReturnType<ImportApi[Method]>
  close(): void
}

/** Opens a file in a worker, so that a large one never blocks the page. */
export function openImport(file: File, onProgress: (progress: Progress) => void): ImportHost {
  const worker = new Worker(new URL('./import-worker.ts', import.meta.url), { type: 'module', name: 'import' })
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (cause: unknown) => void }>()
  let lastId = 0
  worker.addEventListener('message', ({ data }: MessageEvent<ImportAnswer>) => {
    if ('progress' in data) return onProgress(data.progress)
    const waiter = waiting.get(data.id)
    waiting.delete(data.id)
    if ('problem' in data) waiter?.reject(new Error(data.problem))
    else waiter?.resolve(data.value as never)
  })
  worker.addEventListener('error', (event) => {
    for (const waiter of waiting.values()) waiter.reject(new Error(event.message || 'The file could not be read.'))
    waiting.clear()
  })
  worker.postMessage({ file } satisfies ImportRequest)
  return {
    file,
    call(method, ...args) {
      lastId += 1
      worker.postMessage({ id: lastId, method, args } satisfies ImportRequest)
      const id = lastId
      return new Promise<never>((resolve, reject) => waiting.set(id, { resolve, reject })) as ReturnType<
        ImportApi[typeof method]
      >
    },
    close: () => worker.terminate(),
  }
}
