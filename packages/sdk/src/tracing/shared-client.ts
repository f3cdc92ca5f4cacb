import { TracingClient } from './tracing-client.ts'

let create: () => TracingClient = () => new TracingClient()
let shared: TracingClient | undefined

/** The client of runs without a client of their own; created on first use. */
export function getSharedClient(): TracingClient {
  shared ??= create()
  return shared
}

/** Lets the full `Client` become the shared one in applications that load it anyway. */
export function setSharedClientFactory(factory: () => TracingClient): void {
  create = factory
}
