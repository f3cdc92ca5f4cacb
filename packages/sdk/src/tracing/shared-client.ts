import { TracingClient } from './tracing-client.ts'

let create: () => TracingClient = () => new TracingClient()
let shared: TracingClient | undefined

/** The client of runs without a client of their own; created on first use. */
export function sharedClient(): TracingClient {
  shared ??= create()
  return shared
}

/** Lets the full `Client` become the shared one in applications that load it anyway. */
export function provideSharedClient(factory: () => TracingClient): void {
  create = factory
}
