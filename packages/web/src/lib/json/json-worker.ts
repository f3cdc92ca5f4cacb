import { createJsonApi } from './json-api.ts'
import type { Answer, Request } from './json-host.ts'

const api = createJsonApi()

self.addEventListener('message', ({ data }: MessageEvent<Request>) => {
  self.postMessage(answer(data))
})

function answer({ id, method, args }: Request): Answer {
  try {
    const call = api[method] as (...args: readonly unknown[]) => unknown
    return { id, value: call(...args) }
  } catch (cause) {
    return { id, problem: cause instanceof Error ? cause.message : String(cause) }
  }
}
