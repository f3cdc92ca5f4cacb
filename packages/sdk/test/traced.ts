import { afterEach, beforeEach, vi } from 'vitest'
import { Client } from '../src/index.ts'
import type { TraceableConfig } from '../src/traceable.ts'
import { Recorder } from './recorder.ts'

export let server: Recorder
export let client: Client

/** Starts a recorder and a client of it for each test of the file that calls this. */
export function recordTraces(): void {
  beforeEach(async () => {
    server = await Recorder.start()
    client = new Client({ apiUrl: server.url })
    vi.spyOn(console, 'warn').mockImplementation(() => {})
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await server.stop()
  })
}

export const on = (config: TraceableConfig = {}) => ({ client, tracingEnabled: true, ...config })

/** What was recorded of a run, once it is delivered. */
export async function run(name: string) {
  await client.flush()
  return server.run(name)
}
