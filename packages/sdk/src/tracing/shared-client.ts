import { TracingClient } from './tracing-client.ts'

let create: () => TracingClient = () => new TracingClient()
let shared: TracingClient | undefined

/** The one client of runs that were given none, made at first use. */
export function sharedClient(): TracingClient {
  shared ??= create()
  return shared
}

/** Lets the full `Client` be the shared one where an application has loaded it anyway. */
export function provideSharedClient(factory: () => TracingClient): void {
  create = factory
}
