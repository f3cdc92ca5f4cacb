import type { ImportAnswer, ImportRequest } from './import-host.ts'
import { ImportSession } from './import-session.ts'

let session: ImportSession | undefined

self.addEventListener('message', async ({ data }: MessageEvent<ImportRequest>) => {
  const send = (answer: ImportAnswer) => self.postMessage(answer)
  if ('file' in data) {
    session = new ImportSession(data.file, (progress) => send({ progress }))
    return
  }
  try {
    if (session === undefined) throw new Error('No file has been opened.')
    const call = session[data.method] as (...args: readonly unknown[]) => Promise<unknown>
    send({ id: data.id, value: await call.apply(session, [...data.args]) })
  } catch (cause) {
    send({ id: data.id, problem: cause instanceof Error ? cause.message : String(cause) })
  }
})
